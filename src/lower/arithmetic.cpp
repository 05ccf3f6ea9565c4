// Operators on values in registers, and conversions (language.md 4.3, 5.2).

#include "base/assert.h"
#include "lower/detail/lowerer.h"

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

}  // namespace

/// The one to which the other promotes.
const Type* BodyLowerer::commonType(const Type* a, const Type* b) const {
    return a->kind >= b->kind ? a : b;
}

Reg BodyLowerer::convert(Typed from, const Type* to, SourceRange range) {
    if (from.type == to) return from.reg;
    if (to->is(TypeKind::Tensor) && !from.type->is(TypeKind::Tensor))
        return convert({tensorOf(from, range), m.types.tensor()}, to, range);
    if (to->is(TypeKind::Boolean)) return asCondition(from, range).reg;
    return b.value(Op::Convert, to, {from.reg}, range);
}

/// A bit counts as true if it is not 0.
Typed BodyLowerer::asCondition(Typed value, SourceRange range) {
    if (value.type->is(TypeKind::Boolean)) return value;
    Reg zero = b.constant(Value::zero(value.type), range);
    return {b.compare(Op::Ne, value.type, value.reg, zero, range), m.types.boolean()};
}

Typed BodyLowerer::compare(BinaryOp op, Typed left, Typed right, SourceRange range) {
    const Type* type = commonType(left.type, right.type);
    Reg first = convert(left, type, range);
    Reg second = convert(right, type, range);
    return {b.compare(opOf(op), type, first, second, range), m.types.boolean()};
}

Typed BodyLowerer::vectorOperation(BinaryOp op, Typed left, Typed right, SourceRange range) {
    // A scalar on the left stands only where the order does not matter.
    if (!left.type->isFloatN()) std::swap(left, right);
    if (!right.type->isFloatN()) right = {convert(right, floatType(), range), floatType()};
    return {b.value(opOf(op), left.type, {left.reg, right.reg}, range), left.type};
}

Typed BodyLowerer::combine(BinaryOp op, Typed left, Typed right, SourceRange range) {
    if (left.type->is(TypeKind::Tensor) || right.type->is(TypeKind::Tensor))
        return tensorOperation(op, left, right, range);
    if (op >= BinaryOp::Equal && op <= BinaryOp::GreaterEqual)
        return compare(op, left, right, range);
    if (left.type->isFloatN() || right.type->isFloatN())
        return vectorOperation(op, left, right, range);
    bool bitwise = op == BinaryOp::BitOr || op == BinaryOp::BitAnd || op == BinaryOp::BitXor;
    bool shift =
        op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight || op == BinaryOp::Remainder;
    const Type* type = shift ? intType() : commonType(left.type, right.type);
    if (!bitwise && type->kind < TypeKind::Int) type = intType();
    Reg first = convert(left, type, range);
    Reg second = convert(right, type, range);
    return {b.value(opOf(op), type, {first, second}, range), type};
}

Typed BodyLowerer::increased(Typed old, bool decrement, SourceRange range) {
    const Type* type = old.type->is(TypeKind::Bit) ? intType() : old.type;
    Reg before = convert(old, type, range);
    Reg one = convert({b.integer(1, range), intType()}, type, range);
    Typed after{b.value(decrement ? Op::Sub : Op::Add, type, {before, one}, range), type};
    return {convert(after, old.type, range), old.type};
}

}  // namespace strc::lower::detail
