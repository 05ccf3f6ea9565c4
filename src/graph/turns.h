#pragma once
/// Programs with several inputs, or several outputs: the open end of a main stream that begins with a round-robin splitter
/// is one input for each of its branches, that of one that ends in a round-robin joiner one output for each.

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace strc::graph {

/// Of each input (or output) in order: how many of its items follow each other on the edge of the open end. Empty: there
/// is one at most, or the items are tensors, which have files of their own anyway.
std::vector<std::uint64_t> turnsOf(const Graph&, bool isInput);

}  // namespace strc::graph
