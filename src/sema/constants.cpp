#include "sema/detail/constants.h"

#include "types/math.h"

namespace strc::sema {
namespace {

using ast::BinaryOp;
using types::TypeKind;

Constant foldIntegers(BinaryOp op, std::int32_t a, std::int32_t b) {
    std::int64_t x = a;
    std::int64_t y = b;
    switch (op) {
        case BinaryOp::Add: return Constant::of(types::wrap(x + y));
        case BinaryOp::Subtract: return Constant::of(types::wrap(x - y));
        case BinaryOp::Multiply: return Constant::of(types::wrap(x * y));
        case BinaryOp::Divide: return b ? Constant::of(types::wrap(x / y)) : Constant();
        case BinaryOp::Remainder: return b ? Constant::of(types::wrap(x % y)) : Constant();
        case BinaryOp::ShiftLeft:
            return Constant::of(
                static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << (b & 31)));
        case BinaryOp::ShiftRight: return Constant::of(a >> (b & 31));
        case BinaryOp::BitAnd: return Constant::of(a & b);
        case BinaryOp::BitOr: return Constant::of(a | b);
        case BinaryOp::BitXor: return Constant::of(a ^ b);
        case BinaryOp::Equal: return Constant::ofBoolean(a == b);
        case BinaryOp::NotEqual: return Constant::ofBoolean(a != b);
        case BinaryOp::Less: return Constant::ofBoolean(a < b);
        case BinaryOp::LessEqual: return Constant::ofBoolean(a <= b);
        case BinaryOp::Greater: return Constant::ofBoolean(a > b);
        case BinaryOp::GreaterEqual: return Constant::ofBoolean(a >= b);
        case BinaryOp::And:
        case BinaryOp::Or: break;
    }
    return {};
}

Constant foldBooleans(BinaryOp op, bool a, bool b) {
    switch (op) {
        case BinaryOp::And:
        case BinaryOp::BitAnd: return Constant::ofBoolean(a && b);
        case BinaryOp::Or:
        case BinaryOp::BitOr: return Constant::ofBoolean(a || b);
        case BinaryOp::BitXor:
        case BinaryOp::NotEqual: return Constant::ofBoolean(a != b);
        case BinaryOp::Equal: return Constant::ofBoolean(a == b);
        default: return {};
    }
}

template <typename T>
Constant foldReals(BinaryOp op, T a, T b) {
    switch (op) {
        case BinaryOp::Add: return Constant::ofReal(static_cast<T>(a + b));
        case BinaryOp::Subtract: return Constant::ofReal(static_cast<T>(a - b));
        case BinaryOp::Multiply: return Constant::ofReal(static_cast<T>(a * b));
        case BinaryOp::Divide: return b != 0 ? Constant::ofReal(static_cast<T>(a / b)) : Constant();
        case BinaryOp::Equal: return Constant::ofBoolean(a == b);
        case BinaryOp::NotEqual: return Constant::ofBoolean(a != b);
        case BinaryOp::Less: return Constant::ofBoolean(a < b);
        case BinaryOp::LessEqual: return Constant::ofBoolean(a <= b);
        case BinaryOp::Greater: return Constant::ofBoolean(a > b);
        case BinaryOp::GreaterEqual: return Constant::ofBoolean(a >= b);
        default: return {};
    }
}

}  // namespace

Constant foldConvert(const Constant& value, TypeKind to) {
    if (value.kind == Constant::Kind::None) return {};
    if (to == TypeKind::Boolean) return value.kind == Constant::Kind::Boolean ? value : Constant();
    if (value.kind == Constant::Kind::Boolean) return {};
    bool isReal = value.kind == Constant::Kind::Real;
    double number = isReal ? value.real : value.integer;
    switch (to) {
        case TypeKind::Bit:
            return Constant::of((isReal ? types::toInt(number) : value.integer) & 1);
        case TypeKind::Int: return isReal ? Constant::of(types::toInt(number)) : value;
        case TypeKind::Float: return Constant::ofReal(static_cast<float>(number));
        case TypeKind::Double: return Constant::ofReal(number);
        default: return {};
    }
}

Constant foldBinary(BinaryOp op, const Constant& left, const Constant& right,
                    TypeKind operandType) {
    Constant a = foldConvert(left, operandType);
    Constant b = foldConvert(right, operandType);
    if (a.kind == Constant::Kind::None || b.kind == Constant::Kind::None) return {};
    switch (operandType) {
        case TypeKind::Boolean: return foldBooleans(op, a.integer != 0, b.integer != 0);
        case TypeKind::Bit:
        case TypeKind::Int: return foldIntegers(op, a.integer, b.integer);
        case TypeKind::Float:
            return foldReals(op, static_cast<float>(a.real), static_cast<float>(b.real));
        case TypeKind::Double: return foldReals(op, a.real, b.real);
        default: return {};
    }
}

Constant foldUnary(ast::UnaryOp op, const Constant& operand, TypeKind operandType) {
    Constant value = foldConvert(operand, operandType);
    if (value.kind == Constant::Kind::None) return {};
    switch (op) {
        case ast::UnaryOp::Not: return Constant::ofBoolean(value.integer == 0);
        case ast::UnaryOp::Minus:
            return value.kind == Constant::Kind::Real
                       ? Constant::ofReal(-value.real)
                       : Constant::of(types::wrap(-std::int64_t{value.integer}));
        case ast::UnaryOp::Complement:
            if (operandType == TypeKind::Bit) return Constant::of(value.integer ^ 1);
            return Constant::of(~value.integer);
    }
    return {};
}

}  // namespace strc::sema
