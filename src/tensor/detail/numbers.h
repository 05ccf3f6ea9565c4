#pragma once
/// Code for numbers in registers: constants, choices, conversions between types of elements, and functions. Private to
/// tensor.

#include <functional>
#include <vector>

#include "ir/writer.h"

namespace strc::tensor {

using types::Type;
using types::Value;

/// The type that elements have in registers: int for int8, float for half and bfloat16.
const Type* registerType(const Type* element, types::TypeTable&);

class Numbers {
public:
    using Operands = std::vector<ir::Reg>;

    explicit Numbers(ir::Writer& writer) : w(writer) {}

    ir::Reg real(double value);
    ir::Reg zero(const Type* registerType);
    ir::Reg select(ir::Reg condition, const Type*, const std::function<ir::Reg()>& yes,
                   const std::function<ir::Reg()>& no);
    /// An int within bounds, which are used beyond.
    ir::Reg between(ir::Reg value, std::int32_t low, std::int32_t high);

    /// `value` is of the type `from` has in registers.
    ir::Reg convert(ir::Reg value, const Type* from, const Type* to);
    /// The value of a register becomes one of types that memory and operations round to: half, bfloat16 and
    /// int8; others stay.
    ir::Reg rounded(ir::Reg value, const Type* element);

    /// What memory has becomes what registers have, and back; other types stay.
    ir::Reg widened(ir::Reg value);
    ir::Reg narrowed(ir::Reg value, const Type* element);

    /// The maximum or minimum of real numbers; one that is no number wins.
    ir::Reg better(types::MathFn, ir::Reg, ir::Reg, const Type* registerType);
    /// A step of a sum whose order does not matter.
    ir::Reg relaxedSum(ir::Reg, ir::Reg, const Type* registerType);
    /// A function of a double. If the argument came from a float, the result may be a little off (ir/float_math.h).
    ir::Reg relaxed(types::MathFn, ir::Reg x);
    ir::Reg exponential(ir::Reg x, const Type* registerType);
    /// A function of doubles as the language has it.
    ir::Reg exact(types::MathFn, const Operands&);

private:
    static bool isRounded(const Type* element);

    ir::Writer& w;
};

}  // namespace strc::tensor
