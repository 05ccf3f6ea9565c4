#pragma once
/// Tensors whose shapes only the run knows. A body that was not expanded for shapes (tensor/expand.h) works with names of
/// them: in a register, a variable, a field or an item stands a TensorHandle, and all that is to be done is asked of
/// Host::tensors.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "eval/trap.h"
#include "ir/ir.h"

namespace strc::eval {

/// 0: a variable without a value. It lies in 4 bytes.
using TensorHandle = std::int32_t;

/// An operand of Op::Tensor.
struct TensorOperand {
    const types::Type* type =
        nullptr;  ///< as the register has it: of a tensor nothing more is known
    TensorHandle tensor = 0;
    const std::byte* at =
        nullptr;  ///< others: the scalar, or the array that the register refers to
};

class Tensors {
public:
    virtual ~Tensors() = default;

    /// Concrete; the name is one of a tensor.
    virtual const types::Type* typeOf(TensorHandle) const = 0;
    /// The elements as they lie in memory (types::inMemory), row by row. They are only written by code that has just added the tensor.
    virtual std::byte* elementsOf(TensorHandle) = 0;
    /// A new one of zeros. A trap: there is no memory for it.
    virtual std::optional<Trap> add(const types::Type* concrete, TensorHandle&) = 0;
    /// Op::Tensor. `result` has room for 8 bytes: a TensorHandle, or a scalar.
    virtual Outcome compute(const ir::Instr&, std::span<const TensorOperand>, std::byte* result,
                            std::optional<Trap>&) = 0;
};

}  // namespace strc::eval
