#pragma once
/// What texts call the parts of a plan. Private to plan.

#include <string>

#include "graph/graph.h"

namespace strc::plan {

/// "Main.a -> Main.b"; "input -> Main.a", "Main.b -> output" at open ends.
std::string edgeName(const graph::Graph&, graph::EdgeId);

}  // namespace strc::plan
