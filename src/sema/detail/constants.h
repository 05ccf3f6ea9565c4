#pragma once
/// Values of expressions over literals alone: what can be said about extents, indices and
/// conditions before any instance is known. Arithmetic is the language's own (types/math.h).

#include <cstdint>

#include "ast/nodes.h"
#include "types/type.h"

namespace strc::sema {

struct Constant {
    enum class Kind : std::uint8_t { None, Boolean, Integer, Real };
    Kind kind = Kind::None;
    std::int32_t integer = 0;  ///< Boolean: 0 or 1
    double real = 0;  ///< Real: a float exactly, or a double

    bool isInteger() const { return kind == Kind::Integer; }
    bool isTrue() const { return kind == Kind::Boolean && integer != 0; }
    static Constant of(std::int32_t value) { return {Kind::Integer, value, 0}; }
    static Constant ofBoolean(bool value) { return {Kind::Boolean, value, 0}; }
    static Constant ofReal(double value) { return {Kind::Real, 0, value}; }
};

/// Operands are of `operandType` already, or convert to it; None if the result is not known, as for
/// a division by zero.
Constant foldBinary(ast::BinaryOp, const Constant&, const Constant&, types::TypeKind operandType);
Constant foldUnary(ast::UnaryOp, const Constant&, types::TypeKind operandType);
/// Implicit conversion or cast.
Constant foldConvert(const Constant&, types::TypeKind to);

}  // namespace strc::sema
