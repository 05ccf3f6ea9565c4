#pragma once
/// Passes over the operations on tensors of one body, before they become loops. Private to opt.
/// Each says whether it has changed the body, whose values have gone through forwardTensors.

#include "elab/elaborate.h"

namespace strc::opt {

/// `tensor-cse`: what was computed before, of the same operands, is not computed again.
bool shareSubexpressions(ir::Body&);

/// `tensor-arithmetic`: operations that change nothing (times 1, divided by 1, minus 0, a shape or order that a tensor has
/// already) go, and pairs that undo each other. The bits of all elements stay.
bool simplifyArithmetic(elab::Kernel&, types::TypeTable&);

}  // namespace strc::opt
