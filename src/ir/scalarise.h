#pragma once
/// Vectors as scalars, for engines and printers that have none: a register of a vector becomes one for each lane, a variable
/// of a vector an array of its lanes (of complex numbers two, as they lie in memory). In: a body, and the types of its fields.
/// Out: a body that does the same without an operation on vectors. It is what the operations on vectors mean.

#include "ir/ir.h"

namespace strc::ir {

/// Does the body have an operation on vectors, a register that is one, or refs in lanes?
bool hasLanes(const Body&);
/// Has a pass written it that makes vectors or moves many items at once? Such a body is not for passes on filters any more.
bool hasVectors(const Body&);

Body scalarise(types::TypeTable&, const Body&);

}  // namespace strc::ir
