// Scalar expressions: each operand once, left to right (language.md 5.5).

#include "lower/detail/expressions.h"

#include "base/assert.h"
#include "lower/detail/aggregates.h"
#include "lower/detail/arithmetic.h"
#include "lower/detail/calls.h"
#include "lower/detail/constants.h"
#include "lower/detail/extents.h"
#include "lower/detail/lvalues.h"
#include "lower/detail/tensors.h"
#include "lower/detail/vectors.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using types::TypeKind;

namespace {

// random() is binary64 for its first operation only: assigning, printing, passing it rounds.
Typed rounded(BodyScope& in, Typed value, const Expr& e) {
    bool isWide = value.type->is(TypeKind::Double) && in.typeOf(e)->is(TypeKind::Float);
    return isWide ? Typed{convert(in, value, in.floatType(), e.range), in.floatType()} : value;
}

Typed length(BodyScope& in, const ast::MemberExpr& e) {
    Aggregate array = aggregate(in, *e.object);
    return {extentOf(in, array.type, array.shape, 0, e.range), in.intType()};
}

Typed memberValue(BodyScope& in, const ast::MemberExpr& e) {
    const Type* object = in.typeOf(*e.object);
    if (object->is(TypeKind::Array)) return length(in, e);
    if (object->is(TypeKind::Struct) || isLValue(in, e)) {
        LValue at = lvalue(in, e);
        return {load(in, at, e.range), valueType(in, at)};
    }
    return {part(in, value(in, *e.object), partIndex(e.member.name.text()), e.range),
            in.floatType()};
}

Typed unary(BodyScope& in, const ast::UnaryExpr& e) {
    Typed inner = operand(in, *e.operand);
    switch (e.op) {
        case ast::UnaryOp::Not: {
            if (inner.type->is(TypeKind::Tensor))
                return tensor(in, types::TensorFn::Not, {inner.reg}, e.range);
            Reg truth = asCondition(in, inner, e.range).reg;
            return {in.b.value(Op::Not, in.m.types.boolean(), {truth}, e.range),
                    in.m.types.boolean()};
        }
        case ast::UnaryOp::Complement:
            return {in.b.value(Op::Not, inner.type, {inner.reg}, e.range), inner.type};
        case ast::UnaryOp::Minus: {
            if (inner.type->is(TypeKind::Tensor))
                return tensor(in, types::TensorFn::Neg, {inner.reg}, e.range);
            const Type* type = inner.type->is(TypeKind::Bit) ? in.intType() : inner.type;
            Reg number = convert(in, inner, type, e.range);
            return rounded(in, {in.b.value(Op::Neg, type, {number}, e.range), type}, e);
        }
    }
    return {};
}

Reg shortCircuit(BodyScope& in, bool isAnd, Reg left, const Expr& right, SourceRange range) {
    Reg result = in.b.value(Op::If, in.m.types.boolean(), {left}, range);
    BlockId blocks[2] = {in.b.newBlock(), in.b.newBlock()};
    in.b.last().blocks = {blocks[0], blocks[1], kNone};
    for (int k = 0; k < 2; ++k) {
        Builder::Outside outside = in.b.enter(blocks[k]);
        bool decided = isAnd == (k == 1);
        in.b.yield(decided ? in.b.boolean(!isAnd, range) : condition(in, right), range);
        in.b.leave(outside);
    }
    return result;
}

// Left-associative chains can be long: they are followed by a loop.
Typed binary(BodyScope& in, const ast::BinaryExpr& top) {
    std::vector<const ast::BinaryExpr*> chain;
    const Expr* first = &top;
    while (auto* inner = ast::tryAs<ast::BinaryExpr>(ast::withoutParens(first))) {
        chain.push_back(inner);
        first = inner->left;
    }
    Typed left = operand(in, *first);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
        const ast::BinaryExpr& e = **it;
        if (e.op == ast::BinaryOp::And || e.op == ast::BinaryOp::Or) {
            Reg truth = asCondition(in, left, e.left->range).reg;
            left = {shortCircuit(in, e.op == ast::BinaryOp::And, truth, *e.right, e.range),
                    in.m.types.boolean()};
            continue;
        }
        if (in.typeOf(e)->is(TypeKind::String)) {
            Reg text = convert(in, rounded(in, left, *e.left), in.m.types.string(), e.left->range);
            Reg more = valueAs(in, *e.right, in.m.types.string());
            left = {in.b.value(Op::Concat, in.m.types.string(), {text, more}, e.range),
                    in.m.types.string()};
            continue;
        }
        Typed right = operand(in, *e.right);
        SourceRange range =
            e.op == ast::BinaryOp::Divide || e.op == ast::BinaryOp::Remainder ? e.opRange : e.range;
        left = rounded(in, combine(in, e.op, left, right, range), e);
    }
    return left;
}

Typed conditional(BodyScope& in, const ast::ConditionalExpr& e) {
    const Type* type = in.typeOf(e);
    Reg test = condition(in, *e.condition);
    Reg result = in.b.value(Op::If, type, {test}, e.range);
    BlockId blocks[2] = {in.b.newBlock(), in.b.newBlock()};
    in.b.last().blocks = {blocks[0], blocks[1], kNone};
    const Expr* values[2] = {e.thenValue, e.elseValue};
    for (int k = 0; k < 2; ++k) {
        Builder::Outside outside = in.b.enter(blocks[k]);
        in.b.yield(valueAs(in, *values[k], type), values[k]->range);
        in.b.leave(outside);
    }
    return {result, type};
}

Typed increment(BodyScope& in, const ast::IncrementExpr& e) {
    LValue at = lvalue(in, *e.target);
    Typed old{load(in, at, e.range), valueType(in, at)};
    Typed fresh = increased(in, old, e.decrement, e.range);
    store(in, at, fresh.reg, e.range);
    return e.prefix ? fresh : old;
}

}  // namespace

Reg valueAs(BodyScope& in, const Expr& e, const Type* type) {
    if (type->is(TypeKind::Tensor)) return tensorAs(in, e, type);
    if (std::optional<Value> value = constantAs(in, e, type))
        return in.b.constant(std::move(*value), e.range);
    return convert(in, value(in, e), type, e.range);
}

Typed value(BodyScope& in, const Expr& e) { return rounded(in, operand(in, e), e); }

Reg condition(BodyScope& in, const Expr& e) { return asCondition(in, operand(in, e), e.range).reg; }

Typed operand(BodyScope& in, const Expr& expr) {
    const Expr& e = *ast::withoutParens(&expr);
    if (std::optional<Value> known = constant(in, e)) {
        const Type* type = known->type;
        return {in.b.constant(std::move(*known), e.range), type};
    }
    switch (e.kind) {
        case ExprKind::NameRef:
        case ExprKind::Index: {
            if (auto* index = ast::tryAs<ast::IndexExpr>(&e);
                index && in.typeOf(*index->object)->is(TypeKind::Tensor))
                return tensorElement(in, *index);
            LValue at = lvalue(in, e);
            return {load(in, at, e.range), valueType(in, at)};
        }
        case ExprKind::Member: return memberValue(in, as<ast::MemberExpr>(e));
        case ExprKind::Call: return call(in, e.id, as<ast::CallExpr>(e).args, e.range);
        case ExprKind::PackageCall:
            return call(in, e.id, as<ast::PackageCallExpr>(e).args, e.range);
        case ExprKind::Pop:
            return {in.b.value(Op::Pop, in.stream->code.input, {}, e.range), in.stream->code.input};
        case ExprKind::Peek: {
            Reg offset = valueAs(in, *as<ast::PeekExpr>(e).offset, in.intType());
            return {in.b.value(Op::Peek, in.stream->code.input, {offset}, e.range),
                    in.stream->code.input};
        }
        case ExprKind::Iter: return {in.b.value(Op::Iter, in.intType(), {}, e.range), in.intType()};
        case ExprKind::Unary: return unary(in, as<ast::UnaryExpr>(e));
        case ExprKind::Binary: return binary(in, as<ast::BinaryExpr>(e));
        case ExprKind::Conditional: return conditional(in, as<ast::ConditionalExpr>(e));
        case ExprKind::Cast: {
            const Type* type = in.typeOf(e);
            Typed inner = castOperand(in, *as<ast::CastExpr>(e).operand, type);
            if (inner.type->is(TypeKind::Tensor)) return tensorCast(in, inner, type, e.range);
            return {convert(in, inner, type, e.range), type};
        }
        case ExprKind::Increment: return increment(in, as<ast::IncrementExpr>(e));
        case ExprKind::VectorLiteral: return vectorLiteral(in, as<ast::VectorLiteral>(e));
        default: STRC_UNREACHABLE("not a scalar expression");
    }
}

/// Evaluates for the effects alone.
void effect(BodyScope& in, const Expr& expr) {
    const Expr& e = *ast::withoutParens(&expr);
    if (e.kind == ExprKind::Pop) {
        in.b.emit(Op::Discard, in.stream->code.input, {}, e.range);
    } else if (e.kind == ExprKind::Call) {
        call(in, e.id, as<ast::CallExpr>(e).args, e.range);
    } else if (e.kind == ExprKind::PackageCall) {
        call(in, e.id, as<ast::PackageCallExpr>(e).args, e.range);
    } else if (in.typeOf(e)->isAggregate()) {
        aggregate(in, e);
    } else {
        operand(in, e);
    }
}

}  // namespace strc::lower::detail
