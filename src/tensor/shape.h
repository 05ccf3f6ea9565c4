#pragma once
/// The shape rule of every operation on tensors: types in, type out, or one sentence why not.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace strc::tensor {

using types::Type;
using types::Value;
using Dims = std::vector<std::int64_t>;

/// An operand: a concrete tensor, or a scalar or array with its value if that is known.
struct Operand {
    const Type* type = nullptr;
    std::optional<Value> constant;
};

/// The type of the result, concrete; or null and the reason.
struct Shaped {
    const Type* type = nullptr;
    std::string why;
    bool isOfRun = false;  ///< only the run can tell
};

/// The result of an instruction Op::Tensor. Integer operands that decide on the shape have to be
/// constants; what is read may be at a place that only the run knows.
Shaped resultOf(const ir::Instr&, std::span<const Operand>, types::TypeTable&);

/// Both shapes as one, by the rule of NumPy; nothing if they do not fit.
std::optional<Dims> broadcast(const Dims&, const Dims&);
/// 0 to rank - 1 for a dimension that may be counted from the end; nothing if there is none.
std::optional<std::size_t> dimension(std::int64_t, std::size_t rank);
/// "2x3x4"; "no dimensions".
std::string toString(const Dims&);

/// The type of the elements of `a op b`. A tensor without dimensions does not widen the other's type
/// unless it is of a higher kind (boolean, integer, real).
const Type* promoted(const Type* a, const Type* b, types::TypeTable&);

}  // namespace strc::tensor
