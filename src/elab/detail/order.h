#pragma once
/// The order of nodes after some have gone.

#include <vector>

#include "graph/graph.h"

namespace strc::elab {

/// Numbers graph::Node::order anew, from 0, without gaps.
void renumberOrder(std::vector<graph::Node>&);

}  // namespace strc::elab
