#include "ir/fold_op.h"

#include <cmath>

#include "types/long.h"

namespace strc::ir {
namespace {

using types::Complex;
using types::TypeKind;

/// Add, Sub and Mul of `long` wrap, too; others does it not have.
std::optional<std::int64_t> longArithmetic(Op op, std::int64_t a, std::int64_t b) {
    auto ua = static_cast<std::uint64_t>(a);
    auto ub = static_cast<std::uint64_t>(b);
    switch (op) {
        case Op::Add: return static_cast<std::int64_t>(ua + ub);
        case Op::Sub: return static_cast<std::int64_t>(ua - ub);
        case Op::Mul: return static_cast<std::int64_t>(ua * ub);
        case Op::Div:
            if (b == 0) return std::nullopt;
            return b == -1 ? static_cast<std::int64_t>(0u - ua) : a / b;
        default: return std::nullopt;
    }
}

/// Add, Sub and Mul of ints wrap: they are done in unsigned.
std::optional<std::int32_t> intArithmetic(Op op, std::int32_t a, std::int32_t b) {
    auto ua = static_cast<std::uint32_t>(a);
    auto ub = static_cast<std::uint32_t>(b);
    switch (op) {
        case Op::Add: return static_cast<std::int32_t>(ua + ub);
        case Op::Sub: return static_cast<std::int32_t>(ua - ub);
        case Op::Mul: return static_cast<std::int32_t>(ua * ub);
        case Op::Div:
            if (b == 0) return std::nullopt;
            return b == -1 ? static_cast<std::int32_t>(0u - ua) : a / b;
        case Op::Rem:
            if (b == 0) return std::nullopt;
            return b == -1 ? 0 : a % b;
        case Op::And: return a & b;
        case Op::Or: return a | b;
        case Op::Xor: return a ^ b;
        case Op::Shl: return static_cast<std::int32_t>(ua << (ub & 31));
        case Op::Shr: return a >> (ub & 31);
        default: return std::nullopt;
    }
}

template <typename Real>
std::optional<Real> realArithmetic(Op op, Real a, Real b) {
    switch (op) {
        case Op::Add: return a + b;
        case Op::Sub: return a - b;
        case Op::Mul: return a * b;
        case Op::Div: return a / b;
        default: return std::nullopt;
    }
}

template <typename T>
std::optional<bool> compare(Op op, T a, T b) {
    switch (op) {
        case Op::Eq: return a == b;
        case Op::Ne: return a != b;
        case Op::Lt: return a < b;
        case Op::Le: return a <= b;
        case Op::Gt: return a > b;
        case Op::Ge: return a >= b;
        default: return std::nullopt;
    }
}

std::optional<Value> foldBinary(const Instr& instr, const Type* type, const Value& a,
                                const Value& b) {
    switch (type->kind) {
        case TypeKind::Int:
            if (auto result = intArithmetic(instr.op, a.as<std::int32_t>(), b.as<std::int32_t>()))
                return Value::of(type, *result);
            return std::nullopt;
        case TypeKind::Long:
            if (auto result = longArithmetic(instr.op, a.as<std::int64_t>(), b.as<std::int64_t>()))
                return Value::of(type, *result);
            return std::nullopt;
        case TypeKind::Boolean:
        case TypeKind::Bit:
            if (instr.op != Op::And && instr.op != Op::Or && instr.op != Op::Xor)
                return std::nullopt;
            return Value::of(
                type, static_cast<std::uint8_t>(*intArithmetic(instr.op, a.bytes[0], b.bytes[0])));
        case TypeKind::Float:
            if (auto result = realArithmetic(instr.op, a.as<float>(), b.as<float>()))
                return Value::of(type, *result);
            return std::nullopt;
        case TypeKind::Double:
            if (auto result = realArithmetic(instr.op, a.as<double>(), b.as<double>()))
                return Value::of(type, *result);
            return std::nullopt;
        default: return std::nullopt;
    }
}

std::optional<bool> foldComparison(Op op, const Value& a, const Value& b) {
    switch (a.type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit: return compare(op, a.bytes[0], b.bytes[0]);
        case TypeKind::Int: return compare(op, a.as<std::int32_t>(), b.as<std::int32_t>());
        case TypeKind::Long: return compare(op, a.as<std::int64_t>(), b.as<std::int64_t>());
        case TypeKind::Float: return compare(op, a.as<float>(), b.as<float>());
        case TypeKind::Double: return compare(op, a.as<double>(), b.as<double>());
        case TypeKind::String: return compare(op, a.bytes, b.bytes);
        default: return std::nullopt;
    }
}

std::optional<Value> foldUnary(const Instr& instr, const Value& a) {
    bool negate = instr.op == Op::Neg;
    switch (a.type->kind) {
        case TypeKind::Int: {
            std::int32_t value = a.as<std::int32_t>();
            return Value::of(
                a.type, negate ? static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(value))
                               : ~value);
        }
        case TypeKind::Boolean:
        case TypeKind::Bit:
            if (negate) return std::nullopt;
            return Value::of(a.type, static_cast<std::uint8_t>(a.bytes[0] ^ 1));
        case TypeKind::Float:
            if (!negate) return std::nullopt;
            return Value::of(a.type, -a.as<float>());
        case TypeKind::Double:
            if (!negate) return std::nullopt;
            return Value::of(a.type, -a.as<double>());
        default: return std::nullopt;
    }
}

std::optional<double> asDouble(const Value& value) {
    switch (value.type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit:
        case TypeKind::Int: return static_cast<double>(value.toInt());
        case TypeKind::Float: return value.as<float>();
        case TypeKind::Double: return value.as<double>();
        default: return std::nullopt;
    }
}

std::optional<Value> foldConvert(const Type* target, const Value& a) {
    if (a.type == target) return a;
    if (a.type->is(TypeKind::Long)) return std::nullopt;
    std::optional<double> from = asDouble(a);
    if (!from) return std::nullopt;
    switch (target->kind) {
        case TypeKind::Bit:
            if (a.type->is(TypeKind::Float) || a.type->is(TypeKind::Double))
                return Value::of(target, static_cast<std::uint8_t>(types::toInt(*from) & 1));
            return Value::of(target, static_cast<std::uint8_t>(a.toInt() & 1));
        case TypeKind::Int: return Value::of(target, types::toInt(*from));
        case TypeKind::Char: return Value::of(target, static_cast<char>(types::toInt(*from)));
        case TypeKind::Long: return Value::of(target, types::toLong(*from));
        case TypeKind::Float: return Value::of(target, static_cast<float>(*from));
        case TypeKind::Double: return Value::of(target, *from);
        case TypeKind::Complex: return Value::of(target, Complex(static_cast<float>(*from), 0));
        case TypeKind::String: return Value::text(target, types::toString(a));
        default: return std::nullopt;
    }
}

std::optional<Value> foldMath(const Instr& instr, std::span<const Value* const> operands) {
    for (const Value* operand : operands)
        if (!operand->type->is(TypeKind::Double)) return std::nullopt;
    if (!instr.type->is(TypeKind::Double)) return std::nullopt;
    double y = operands.size() > 1 ? operands[1]->as<double>() : 0;
    return Value::of(instr.type, types::evaluate(instr.math, operands[0]->as<double>(), y));
}

}  // namespace

std::optional<Value> foldOp(const Instr& instr, std::span<const Value* const> operands) {
    switch (instr.op) {
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div:
        case Op::Rem:
        case Op::And:
        case Op::Or:
        case Op::Xor:
        case Op::Shl:
        case Op::Shr:
            if (operands[0]->type != instr.type || operands[1]->type != instr.type)
                return std::nullopt;
            return foldBinary(instr, instr.type, *operands[0], *operands[1]);
        case Op::Neg:
        case Op::Not: return foldUnary(instr, *operands[0]);
        case Op::Convert: return foldConvert(instr.type, *operands[0]);
        case Op::Math: return foldMath(instr, operands);
        case Op::Concat: return Value::text(instr.type, operands[0]->bytes + operands[1]->bytes);
        default: return std::nullopt;
    }
}

std::optional<bool> foldCompare(const Instr& instr, const Value& a, const Value& b) {
    if (a.type != b.type) return std::nullopt;
    return foldComparison(instr.op, a, b);
}

}  // namespace strc::ir
