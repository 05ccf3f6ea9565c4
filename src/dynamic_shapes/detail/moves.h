#pragma once
/// Operations whose result is made of whole runs of their operands: copied, where the definition goes element by element.

#include <cstddef>
#include <span>

#include "tensor/shape.h"

namespace strc::dynamic_shapes {

/// Is it such an operation? Not if the elements of an operand are of another type than those of the result.
bool canMove(types::TensorFn, std::span<const tensor::Operand>, const types::Type* result);

/// Writes the elements of the result, whose type the rule of the operation has found. `places`: where the operands lie.
void moveRuns(types::TensorFn, std::span<const tensor::Operand>,
              std::span<const std::byte* const> places, const types::Type* result, std::byte* to);

}  // namespace strc::dynamic_shapes
