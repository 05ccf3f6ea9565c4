#pragma once
/// Filters and channels of a stream graph by the names that are typed for them. Private to repl.

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace strc::repl {

/// "scale", "scale.left", "#3": the filters, splitters and joiners that are meant.
std::vector<graph::NodeId> nodesCalled(const graph::Graph&, std::string_view name);
/// "0", "#0", "source -> scale", "input", "output", or a node: what goes in and out there.
std::vector<graph::EdgeId> edgesCalled(const graph::Graph&, std::string_view name);
/// As short as can be told apart from the others.
std::string nameOf(const graph::Graph&, graph::NodeId);
std::string nameOfEdge(const graph::Graph&, graph::EdgeId);

}  // namespace strc::repl
