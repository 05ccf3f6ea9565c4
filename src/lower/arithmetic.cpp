// Operators on values in registers, and conversions (language.md 4.3, 5.2).

#include "lower/detail/arithmetic.h"

#include "base/assert.h"
#include "lower/detail/tensors.h"

namespace strc::lower::detail {

using ast::BinaryOp;
using types::TypeKind;

namespace {

Op opOf(BinaryOp op) {
    switch (op) {
        case BinaryOp::BitOr: return Op::Or;
        case BinaryOp::BitAnd: return Op::And;
        case BinaryOp::BitXor: return Op::Xor;
        case BinaryOp::Equal: return Op::Eq;
        case BinaryOp::NotEqual: return Op::Ne;
        case BinaryOp::Less: return Op::Lt;
        case BinaryOp::LessEqual: return Op::Le;
        case BinaryOp::Greater: return Op::Gt;
        case BinaryOp::GreaterEqual: return Op::Ge;
        case BinaryOp::Add: return Op::Add;
        case BinaryOp::Subtract: return Op::Sub;
        case BinaryOp::Multiply: return Op::Mul;
        case BinaryOp::Divide: return Op::Div;
        case BinaryOp::Remainder: return Op::Rem;
        case BinaryOp::ShiftLeft: return Op::Shl;
        case BinaryOp::ShiftRight: return Op::Shr;
        case BinaryOp::Or:
        case BinaryOp::And: break;
    }
    STRC_UNREACHABLE("short circuits are no operations");
}

/// The one to which the other promotes.
const Type* commonType(const Type* a, const Type* b) { return a->kind >= b->kind ? a : b; }

Typed compare(BodyScope& in, BinaryOp op, Typed left, Typed right, SourceRange range) {
    const Type* type = commonType(left.type, right.type);
    Reg first = convert(in, left, type, range);
    Reg second = convert(in, right, type, range);
    return {in.b.value(opOf(op), type, {first, second}, range), in.m.types.boolean()};
}

Typed vectorOperation(BodyScope& in, BinaryOp op, Typed left, Typed right, SourceRange range) {
    // A scalar on the left stands only where the order does not matter.
    if (!left.type->isFloatN()) std::swap(left, right);
    if (!right.type->isFloatN())
        right = {convert(in, right, in.floatType(), range), in.floatType()};
    return {in.b.value(opOf(op), left.type, {left.reg, right.reg}, range), left.type};
}

}  // namespace

Reg convert(BodyScope& in, Typed from, const Type* to, SourceRange range) {
    if (from.type == to) return from.reg;
    if (to->is(TypeKind::Tensor) && !from.type->is(TypeKind::Tensor))
        return convert(in, {tensorOf(in, from, range), in.m.types.tensor()}, to, range);
    if (to->is(TypeKind::Boolean)) return asCondition(in, from, range).reg;
    return in.b.value(Op::Convert, to, {from.reg}, range);
}

/// A bit counts as true if it is not 0.
Typed asCondition(BodyScope& in, Typed value, SourceRange range) {
    if (value.type->is(TypeKind::Boolean)) return value;
    Reg zero = in.b.constant(Value::zero(value.type), range);
    return {in.b.value(Op::Ne, value.type, {value.reg, zero}, range), in.m.types.boolean()};
}

Typed combine(BodyScope& in, BinaryOp op, Typed left, Typed right, SourceRange range) {
    if (left.type->is(TypeKind::Tensor) || right.type->is(TypeKind::Tensor))
        return tensorOperation(in, op, left, right, range);
    if (op >= BinaryOp::Equal && op <= BinaryOp::GreaterEqual)
        return compare(in, op, left, right, range);
    if (left.type->isFloatN() || right.type->isFloatN())
        return vectorOperation(in, op, left, right, range);
    bool bitwise = op == BinaryOp::BitOr || op == BinaryOp::BitAnd || op == BinaryOp::BitXor;
    bool shift =
        op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight || op == BinaryOp::Remainder;
    const Type* type = shift ? in.intType() : commonType(left.type, right.type);
    if (!bitwise && type->kind < TypeKind::Int) type = in.intType();
    Reg first = convert(in, left, type, range);
    Reg second = convert(in, right, type, range);
    return {in.b.value(opOf(op), type, {first, second}, range), type};
}

Typed increased(BodyScope& in, Typed old, bool decrement, SourceRange range) {
    const Type* type = old.type->is(TypeKind::Bit) ? in.intType() : old.type;
    Reg before = convert(in, old, type, range);
    Reg one = convert(in, {in.b.integer(1, range), in.intType()}, type, range);
    Typed after{in.b.value(decrement ? Op::Sub : Op::Add, type, {before, one}, range), type};
    return {convert(in, after, old.type, range), old.type};
}

}  // namespace strc::lower::detail
