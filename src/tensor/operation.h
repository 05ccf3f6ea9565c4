#pragma once
/// One operation on tensors by itself, for filters that learn shapes while a program runs.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensor/expand.h"
#include "tensor/shape.h"

namespace strc::tensor {

/// The code of a filter without channels: its fields are operands and the result, and `work` computes it.
struct Operation {
    ir::StreamCode code;
    /// The field of each operand; ir::kNone: its value is a part of the code.
    std::vector<std::uint32_t> operands;
    std::uint32_t result = ir::kNone;  ///< field
    /// Set if elements of that type cannot be computed with; then there is no code.
    std::optional<Fault> fault;
};

/// Makes the operation of an Op::Tensor with these operands, where numbers stand for an array of ints. `result` is the type that
/// resultOf has found, or a scalar's type where the instruction gives one.
Operation assemble(const ir::Instr&, std::span<const Operand>, const Type* result,
                   types::TypeTable&);

/// "'matmul'": what messages call an instruction of a body.
std::string describe(const ir::Instr&);

}  // namespace strc::tensor
