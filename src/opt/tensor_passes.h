#pragma once
/// Passes over the operations on tensors of one body, before they become loops. Private to opt.
/// Each says whether it has changed the body, whose values have gone through forwardTensors.

#include "base/limits.h"
#include "elab/elaborate.h"

namespace strc::opt {

/// `tensor-cse`: what was computed before, of the same operands, is not computed again; fields that are the same stored
/// array count as one.
bool shareSubexpressions(elab::Kernel&);

/// `coalesce-parts`: what is done alike to all parts of a tensor, which are put together again, is done to the whole. Of use
/// after shareSubexpressions: operands that all parts have in common are one value.
bool coalesceParts(elab::Kernel&, types::TypeTable&);

/// `algebraic-simplification`: operations that change nothing (times 1, divided by 1, minus 0, a shape or order that a tensor has
/// already) go, and pairs that undo each other; and moveOperations. The bits of all elements stay.
bool simplifyArithmetic(elab::Kernel&, types::TypeTable&);
/// A part of it: views of views are one, a product is made turned round and not turned afterwards, what is broadcast is computed with
/// before; integers times 0 are 0.
bool moveOperations(elab::Kernel&, types::TypeTable&);

/// `fold-norms`: what scales the result of a convolution or product with weights, by numbers that are known, scales
/// the weights; shifts behind it become one. Sums are rounded in other places then. Of use before foldTensors alone.
bool foldNorms(elab::Kernel&, types::TypeTable&);

/// `fold-tensors`: what depends on weights and constants alone, and costs something to make, is a stored array.
bool foldTensors(elab::Kernel&, const base::Limits&, const ir::Module&, types::TypeTable&);

}  // namespace strc::opt
