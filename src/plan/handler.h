#pragma once
/// Who handles a message: a node, and the name of the handler in its code.

#include <string>

#include "graph/graph.h"

namespace strc::plan {

struct Handler {
    graph::NodeId node = graph::kNone;
    std::string name;
};

}  // namespace strc::plan
