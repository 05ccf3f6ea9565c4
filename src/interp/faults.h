#pragma once
/// Faults of bodies, told of the instance in which they happened.

#include "base/context.h"
#include "eval/trap.h"
#include "graph/graph.h"

namespace strc::interp {

/// A shape that does not fit has two words, an operation, which may be empty, and why, and is told where the filter is added, as
/// elaboration does; all others where the code stands.
void reportTrap(base::Context&, const graph::Graph&, graph::NodeId, const eval::Trap&);

}  // namespace strc::interp
