// Tensors: values in registers of type `tensor`, whose shapes are not known here.

#include "lower/detail/tensors.h"

#include "base/assert.h"
#include "lower/detail/aggregates.h"
#include "lower/detail/arithmetic.h"
#include "lower/detail/expressions.h"
#include "lower/detail/initialisers.h"

namespace strc::lower::detail {

using ast::BinaryOp;
using ast::Expr;
using types::TensorFn;
using types::TypeKind;

namespace {

TensorFn fnOf(BinaryOp op) {
    switch (op) {
        case BinaryOp::Equal: return TensorFn::Eq;
        case BinaryOp::NotEqual: return TensorFn::Ne;
        case BinaryOp::Less: return TensorFn::Lt;
        case BinaryOp::LessEqual: return TensorFn::Le;
        case BinaryOp::Greater: return TensorFn::Gt;
        case BinaryOp::GreaterEqual: return TensorFn::Ge;
        case BinaryOp::Add: return TensorFn::Add;
        case BinaryOp::Subtract: return TensorFn::Sub;
        case BinaryOp::Multiply: return TensorFn::Mul;
        case BinaryOp::Divide: return TensorFn::Div;
        default: STRC_UNREACHABLE("no operator of tensors");
    }
}

Typed typedTensor(BodyScope& in, TensorFn fn, const Type* type, std::vector<Reg> operands,
                  SourceRange range) {
    Reg result = in.b.value(Op::Tensor, type, std::move(operands), range);
    in.b.last().tensor = fn;
    return {result, type};
}

void appendIndices(BodyScope& in, const ast::IndexExpr& e, std::vector<Reg>& operands) {
    operands.push_back(valueAs(in, *e.index, in.intType()));
    for (const Expr* each : e.more) operands.push_back(valueAs(in, *each, in.intType()));
}

}  // namespace

Typed tensor(BodyScope& in, TensorFn fn, std::vector<Reg> operands, SourceRange range) {
    return typedTensor(in, fn, in.m.types.tensor(), std::move(operands), range);
}

Reg tensorOf(BodyScope& in, Typed value, SourceRange range) {
    if (value.type->is(TypeKind::Tensor)) return value.reg;
    return tensor(in, TensorFn::FromScalar, {value.reg}, range).reg;
}

Reg tensorAs(BodyScope& in, const Expr& e, const Type* type) {
    Typed value;
    if (auto* literal = ast::tryAs<ast::ArrayLiteral>(ast::withoutParens(&e))) {
        value = tensor(in, TensorFn::FromArray, {literalValue(in, *literal, in.typeOf(e)).ref},
                       e.range);
        if (type->element) value = tensorCast(in, value, in.m.types.tensor(type->element), e.range);
    } else if (in.typeOf(e)->isAggregate()) {
        value = tensor(in, TensorFn::FromArray, {aggregate(in, e).ref}, e.range);
    } else {
        value = detail::value(in, e);
    }
    if (!value.type->is(TypeKind::Tensor))
        value = {tensorOf(in, value, e.range), in.m.types.tensor()};
    return convert(in, value, type, e.range);
}

Typed tensorOperation(BodyScope& in, BinaryOp op, Typed left, Typed right, SourceRange range) {
    Reg first = tensorOf(in, left, range);
    return tensor(in, fnOf(op), {first, tensorOf(in, right, range)}, range);
}

Typed tensorElement(BodyScope& in, const ast::IndexExpr& e) {
    std::vector<Reg> operands{operand(in, *e.object).reg};
    appendIndices(in, e, operands);
    return typedTensor(in, TensorFn::Read, in.typeOf(e), std::move(operands), e.range);
}

Typed tensorCast(BodyScope& in, Typed value, const Type* type, SourceRange range) {
    return typedTensor(in, TensorFn::Cast, type, {value.reg}, range);
}

/// Where the elements are not known yet a program can say what they are: (int) item(x) is item((int) x).
Typed castOperand(BodyScope& in, const Expr& operand, const Type* type) {
    const Expr& e = *ast::withoutParens(&operand);
    const Expr* object = nullptr;
    auto* element = ast::tryAs<ast::IndexExpr>(&e);
    auto* call = ast::tryAs<ast::CallExpr>(&e);
    if (element) object = element->object;
    if (call) {
        const sema::CallTarget* target = in.m.program.callOf(e.id);
        if (target->kind == sema::CallKind::Tensor && target->tensor == TensorFn::Item)
            object = call->args[0];
    }
    const bool isOpen =
        object && in.typeOf(*object)->is(TypeKind::Tensor) && !in.typeOf(*object)->element;
    if (!isOpen || !types::isTensorElement(type)) return detail::operand(in, operand);
    std::vector<Reg> operands{
        tensorCast(in, detail::operand(in, *object), in.m.types.tensor(type), e.range).reg};
    if (element) appendIndices(in, *element, operands);
    return typedTensor(in, element ? TensorFn::Read : TensorFn::Item, type, std::move(operands),
                       e.range);
}

Typed tensorCall(BodyScope& in, const sema::CallTarget& target, std::span<const Expr* const> args,
                 SourceRange range) {
    std::string_view signature = types::info(target.tensor).signature;
    std::vector<Reg> operands;
    for (std::size_t k = 0; k < args.size(); ++k) {
        switch (types::operandAt(signature, k, args.size())) {
            case 'T': operands.push_back(tensorAs(in, *args[k], in.m.types.tensor())); break;
            case 'i':
                operands.push_back(in.typeOf(*args[k])->isAggregate()
                                       ? aggregate(in, *args[k]).ref
                                       : valueAs(in, *args[k], in.intType()));
                break;
            case 'S': operands.push_back(valueAs(in, *args[k], in.m.types.string())); break;
            default: operands.push_back(value(in, *args[k]).reg);
        }
    }
    bool isInferred = target.result->is(TypeKind::Tensor) && target.tensor != TensorFn::Cast;
    const Type* type = isInferred ? in.m.types.tensor() : target.result;
    Reg reg = in.b.value(Op::Tensor, type, std::move(operands), range);
    in.b.last().tensor = target.tensor;
    in.b.last().math = target.math;
    return {reg, type};
}

}  // namespace strc::lower::detail
