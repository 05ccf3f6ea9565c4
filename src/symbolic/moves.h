#pragma once
/// Operations whose result is made of whole runs of their operands: copied, where the definition goes element by element.

#include <cstddef>
#include <span>

#include "tensor/shape.h"

namespace strc::symbolic {

/// Is it such an operation?
bool canMove(types::TensorFn);

/// Writes the elements of the result, whose type is given; false: the definition has something to say about it. `places`: where the operands lie.
bool moveRuns(const ir::Instr&, std::span<const tensor::Operand>,
              std::span<const std::byte* const> places, const types::Type* result, std::byte* to);

}  // namespace strc::symbolic
