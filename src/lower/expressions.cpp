// Scalar expressions: each operand once, left to right (language.md 5.5).

#include "base/assert.h"
#include "lower/detail/lowerer.h"
#include "lower/detail/walk.h"
#include "types/math.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using ast::ExprKind;
using types::TypeKind;

namespace {

Value negated(const Value& value) {
    switch (value.type->kind) {
        case TypeKind::Int:
            return Value::of(value.type, types::wrap(-std::int64_t{value.as<std::int32_t>()}));
        case TypeKind::Float: return Value::of(value.type, -value.as<float>());
        case TypeKind::Complex: return Value::of(value.type, -value.as<types::Complex>());
        default: return {};
    }
}

/// Of literals; nothing if the conversion is not one that literals need.
std::optional<Value> converted(const Value& value, const Type* to) {
    if (value.type == to) return value;
    if (!value.type->isNumeric()) return std::nullopt;
    if (value.type->is(TypeKind::Complex)) return std::nullopt;
    double number = value.type->is(TypeKind::Double)  ? value.as<double>()
                    : value.type->is(TypeKind::Float) ? double{value.as<float>()}
                                                      : static_cast<double>(value.toInt());
    bool fromInt = value.type->is(TypeKind::Int) || value.type->is(TypeKind::Bit);
    switch (to->kind) {
        case TypeKind::Bit:
            if (!fromInt) return std::nullopt;
            return Value::of(to, static_cast<std::uint8_t>(value.toInt() & 1));
        case TypeKind::Int:
            if (!fromInt) return std::nullopt;
            return Value::of(to, static_cast<std::int32_t>(value.toInt()));
        case TypeKind::Float: return Value::of(to, static_cast<float>(number));
        case TypeKind::Double: return Value::of(to, number);
        case TypeKind::Complex: return Value::of(to, types::Complex(static_cast<float>(number), 0));
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<Value> BodyLowerer::constant(const Expr& expr) const {
    const Expr& e = *ast::withoutParens(&expr);
    switch (e.kind) {
        case ExprKind::IntLiteral: return Value::of(intType(), as<ast::IntLiteral>(e).value);
        case ExprKind::RealLiteral: return Value::of(floatType(), as<ast::RealLiteral>(e).value);
        case ExprKind::ImaginaryLiteral:
            return Value::of(m.types.complex(),
                             types::Complex(0, as<ast::ImaginaryLiteral>(e).value));
        case ExprKind::BooleanLiteral:
            return Value::of(m.types.boolean(),
                             static_cast<std::uint8_t>(as<ast::BooleanLiteral>(e).value));
        case ExprKind::StringLiteral:
            return Value::text(m.types.string(), std::string(as<ast::StringLiteral>(e).value));
        case ExprKind::CharLiteral:
            return Value::of(m.types.scalar(TypeKind::Char), as<ast::CharLiteral>(e).value);
        case ExprKind::Pi:
            return Value::of(floatType(), static_cast<float>(3.14159265358979323846));
        case ExprKind::NameRef: {
            const Symbol* symbol = m.program.symbolOf(e);
            if (!m.globalsAreFinal || !isScalarGlobal(*symbol)) return std::nullopt;
            return m.globalValue(*symbol);
        }
        case ExprKind::Unary: {
            const auto& minus = as<ast::UnaryExpr>(e);
            const Expr* inner = ast::withoutParens(minus.operand);
            if (minus.op != ast::UnaryOp::Minus || inner->kind == ExprKind::Unary)
                return std::nullopt;
            std::optional<Value> value = constant(*inner);
            if (!value || !negated(*value).type) return std::nullopt;
            return negated(*value);
        }
        default: return std::nullopt;
    }
}

std::optional<Value> BodyLowerer::constantAs(const Expr& e, const Type* type) const {
    std::optional<Value> value = constant(e);
    return value ? converted(*value, type) : std::nullopt;
}

Reg BodyLowerer::valueAs(const Expr& e, const Type* type) {
    if (type->is(TypeKind::Tensor)) return tensorAs(e, type);
    if (std::optional<Value> value = constantAs(e, type))
        return b.constant(std::move(*value), e.range);
    return convert(value(e), type, e.range);
}

// random() is binary64 for its first operation only: assigning, printing, passing it rounds.
Typed BodyLowerer::rounded(Typed value, const Expr& e) {
    bool isWide = value.type->is(TypeKind::Double) && typeOf(e)->is(TypeKind::Float);
    return isWide ? Typed{convert(value, floatType(), e.range), floatType()} : value;
}

Typed BodyLowerer::value(const Expr& e) { return rounded(operand(e), e); }

Reg BodyLowerer::condition(const Expr& e) { return asCondition(operand(e), e.range).reg; }

Typed BodyLowerer::operand(const Expr& expr) {
    const Expr& e = *ast::withoutParens(&expr);
    if (std::optional<Value> known = constant(e)) {
        const Type* type = known->type;
        return {b.constant(std::move(*known), e.range), type};
    }
    switch (e.kind) {
        case ExprKind::NameRef:
        case ExprKind::Index: {
            if (auto* index = ast::tryAs<ast::IndexExpr>(&e);
                index && typeOf(*index->object)->is(TypeKind::Tensor))
                return tensorElement(*index);
            LValue at = lvalue(e);
            return {load(at, e.range), valueType(at)};
        }
        case ExprKind::Member: return memberValue(as<ast::MemberExpr>(e));
        case ExprKind::Call: return call(e.id, as<ast::CallExpr>(e).args, e.range);
        case ExprKind::PackageCall: return call(e.id, as<ast::PackageCallExpr>(e).args, e.range);
        case ExprKind::Pop:
            return {b.value(Op::Pop, stream->code.input, {}, e.range), stream->code.input};
        case ExprKind::Peek: {
            Reg offset = valueAs(*as<ast::PeekExpr>(e).offset, intType());
            return {b.value(Op::Peek, stream->code.input, {offset}, e.range), stream->code.input};
        }
        case ExprKind::Iter: return {b.value(Op::Iter, intType(), {}, e.range), intType()};
        case ExprKind::Unary: return unary(as<ast::UnaryExpr>(e));
        case ExprKind::Binary: return binary(as<ast::BinaryExpr>(e));
        case ExprKind::Conditional: return conditional(as<ast::ConditionalExpr>(e));
        case ExprKind::Cast: {
            const Type* type = typeOf(e);
            Typed inner = castOperand(*as<ast::CastExpr>(e).operand, type);
            if (inner.type->is(TypeKind::Tensor)) return tensorCast(inner, type, e.range);
            return {convert(inner, type, e.range), type};
        }
        case ExprKind::Increment: return increment(as<ast::IncrementExpr>(e));
        case ExprKind::VectorLiteral: return vectorLiteral(as<ast::VectorLiteral>(e));
        default: STRC_UNREACHABLE("not a scalar expression");
    }
}

Typed BodyLowerer::memberValue(const ast::MemberExpr& e) {
    const Type* object = typeOf(*e.object);
    if (object->is(TypeKind::Array)) return length(e);
    if (object->is(TypeKind::Struct) || isLValue(e)) {
        LValue at = lvalue(e);
        return {load(at, e.range), valueType(at)};
    }
    return {part(value(*e.object), partIndex(e.member.name.text()), e.range), floatType()};
}

Typed BodyLowerer::length(const ast::MemberExpr& e) {
    Aggregate array = aggregate(*e.object);
    return {extentOf(array.type, array.shape, 0, e.range), intType()};
}

Typed BodyLowerer::unary(const ast::UnaryExpr& e) {
    Typed inner = operand(*e.operand);
    switch (e.op) {
        case ast::UnaryOp::Not: {
            if (inner.type->is(TypeKind::Tensor))
                return tensor(types::TensorFn::Not, {inner.reg}, e.range);
            Reg truth = asCondition(inner, e.range).reg;
            return {b.value(Op::Not, m.types.boolean(), {truth}, e.range), m.types.boolean()};
        }
        case ast::UnaryOp::Complement:
            return {b.value(Op::Not, inner.type, {inner.reg}, e.range), inner.type};
        case ast::UnaryOp::Minus: {
            if (inner.type->is(TypeKind::Tensor))
                return tensor(types::TensorFn::Neg, {inner.reg}, e.range);
            const Type* type = inner.type->is(TypeKind::Bit) ? intType() : inner.type;
            Reg number = convert(inner, type, e.range);
            return rounded({b.value(Op::Neg, type, {number}, e.range), type}, e);
        }
    }
    return {};
}

// Left-associative chains can be long: they are followed by a loop.
Typed BodyLowerer::binary(const ast::BinaryExpr& top) {
    std::vector<const ast::BinaryExpr*> chain;
    const Expr* first = &top;
    while (auto* inner = ast::tryAs<ast::BinaryExpr>(ast::withoutParens(first))) {
        chain.push_back(inner);
        first = inner->left;
    }
    Typed left = operand(*first);
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
        const ast::BinaryExpr& e = **it;
        if (e.op == ast::BinaryOp::And || e.op == ast::BinaryOp::Or) {
            Reg truth = asCondition(left, e.left->range).reg;
            left = {shortCircuit(e.op == ast::BinaryOp::And, truth, *e.right, e.range),
                    m.types.boolean()};
            continue;
        }
        if (typeOf(e)->is(TypeKind::String)) {
            Reg text = convert(rounded(left, *e.left), m.types.string(), e.left->range);
            Reg more = valueAs(*e.right, m.types.string());
            left = {b.value(Op::Concat, m.types.string(), {text, more}, e.range), m.types.string()};
            continue;
        }
        Typed right = operand(*e.right);
        SourceRange range =
            e.op == ast::BinaryOp::Divide || e.op == ast::BinaryOp::Remainder ? e.opRange : e.range;
        left = rounded(combine(e.op, left, right, range), e);
    }
    return left;
}

Reg BodyLowerer::shortCircuit(bool isAnd, Reg left, const Expr& right, SourceRange range) {
    Reg result = b.value(Op::If, m.types.boolean(), {left}, range);
    BlockId blocks[2] = {b.newBlock(), b.newBlock()};
    b.last().blocks = {blocks[0], blocks[1], kNone};
    for (int k = 0; k < 2; ++k) {
        Builder::Outside outside = b.enter(blocks[k]);
        bool decided = isAnd == (k == 1);
        b.yield(decided ? b.boolean(!isAnd, range) : condition(right), range);
        b.leave(outside);
    }
    return result;
}

Typed BodyLowerer::conditional(const ast::ConditionalExpr& e) {
    const Type* type = typeOf(e);
    Reg test = condition(*e.condition);
    Reg result = b.value(Op::If, type, {test}, e.range);
    BlockId blocks[2] = {b.newBlock(), b.newBlock()};
    b.last().blocks = {blocks[0], blocks[1], kNone};
    const Expr* values[2] = {e.thenValue, e.elseValue};
    for (int k = 0; k < 2; ++k) {
        Builder::Outside outside = b.enter(blocks[k]);
        b.yield(valueAs(*values[k], type), values[k]->range);
        b.leave(outside);
    }
    return {result, type};
}

Typed BodyLowerer::increment(const ast::IncrementExpr& e) {
    LValue at = lvalue(*e.target);
    Typed old{load(at, e.range), valueType(at)};
    Typed fresh = increased(old, e.decrement, e.range);
    store(at, fresh.reg, e.range);
    return e.prefix ? fresh : old;
}

/// Evaluates for the effects alone.
void BodyLowerer::effect(const Expr& expr) {
    const Expr& e = *ast::withoutParens(&expr);
    if (e.kind == ExprKind::Pop) {
        b.emit(Op::Discard, stream->code.input, {}, e.range);
    } else if (e.kind == ExprKind::Call) {
        call(e.id, as<ast::CallExpr>(e).args, e.range);
    } else if (e.kind == ExprKind::PackageCall) {
        call(e.id, as<ast::PackageCallExpr>(e).args, e.range);
    } else if (typeOf(e)->isAggregate()) {
        aggregate(e);
    } else {
        operand(e);
    }
}

}  // namespace strc::lower::detail
