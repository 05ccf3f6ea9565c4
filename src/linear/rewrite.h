#pragma once
/// Puts one filter into the place of each region of a graph.

#include <span>
#include <vector>

#include "elab/elaborate.h"
#include "linear/select.h"

namespace strc::linear {

struct Rewritten {
    elab::Elaboration program;
    std::vector<graph::NodeId> nodeOf;  ///< by old node; those of a region have one
};

/// The same program, in which each region is one filter. Nodes that stay keep their paths. The regions do not
/// overlap, and the program has no messages.
Rewritten rewrite(const elab::Elaboration&, std::span<const Region>, types::TypeTable&);

/// "Low+High", or "Low+…+High" of more than a few.
std::string nameOf(const graph::Graph&, const Region&);

}  // namespace strc::linear
