#pragma once
/// Passes over the operations on tensors of one body, before they become loops (pass::KernelFunction). Each says whether it has
/// changed the body, whose values have gone through forwardTensors.

#include "elab/elaborate.h"
#include "pass/context.h"

namespace strc::opt {

/// `tensor-cse`: what was computed before, of the same operands, is not computed again; fields that are the same stored
/// array count as one.
bool shareSubexpressions(const pass::Context&, elab::Kernel&);

/// `coalesce-parts`: what is done alike to all parts of a tensor, which are put together again, is done to the whole. Of use
/// after shareSubexpressions: operands that all parts have in common are one value.
bool coalesceParts(const pass::Context&, elab::Kernel&);

/// `algebraic-simplification`: operations that change nothing (times 1, divided by 1, minus 0, a shape or order that a tensor has
/// already) go, and pairs that undo each other; and moveOperations. The bits of all elements stay.
bool simplifyArithmetic(const pass::Context&, elab::Kernel&);
/// A part of it: views of views are one, a product is made transposed and not transposed afterwards, what is broadcast is computed with
/// before; integers times 0 are 0.
bool moveOperations(elab::Kernel&, types::TypeTable&);

/// `fold-norms`: what scales the result of a convolution or product with weights, by numbers that are known, scales
/// the weights; shifts behind it become one. Sums are rounded in other places then. Nothing where foldTensors does not follow.
bool foldNorms(const pass::Context&, elab::Kernel&);

/// `fold-tensors`: what depends on weights and constants alone, and costs something to make, is a stored array.
bool foldTensors(const pass::Context&, elab::Kernel&);

}  // namespace strc::opt
