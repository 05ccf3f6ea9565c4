// Tensors: values in registers of type `tensor`, whose shapes nobody knows here.

#include "base/assert.h"
#include "lower/detail/lowerer.h"

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

}  // namespace

Typed BodyLowerer::tensor(TensorFn fn, std::vector<Reg> operands, SourceRange range) {
    const Type* type = m.types.tensor();
    Reg result = b.value(Op::Tensor, type, std::move(operands), range);
    b.last().tensor = fn;
    return {result, type};
}

Reg BodyLowerer::tensorOf(Typed value, SourceRange range) {
    if (value.type->is(TypeKind::Tensor)) return value.reg;
    return tensor(TensorFn::FromScalar, {value.reg}, range).reg;
}

Reg BodyLowerer::tensorAs(const Expr& e, const Type* type) {
    Typed value;
    if (auto* literal = ast::tryAs<ast::ArrayLiteral>(ast::withoutParens(&e))) {
        value = tensor(TensorFn::FromArray, {literalValue(*literal, typeOf(e)).ref}, e.range);
        if (type->element) value = tensorCast(value, m.types.tensor(type->element), e.range);
    } else if (typeOf(e)->isAggregate()) {
        value = tensor(TensorFn::FromArray, {aggregate(e).ref}, e.range);
    } else {
        value = this->value(e);
    }
    if (!value.type->is(TypeKind::Tensor)) value = {tensorOf(value, e.range), m.types.tensor()};
    return convert(value, type, e.range);
}

Typed BodyLowerer::tensorOperation(BinaryOp op, Typed left, Typed right, SourceRange range) {
    Reg first = tensorOf(left, range);
    return tensor(fnOf(op), {first, tensorOf(right, range)}, range);
}

void BodyLowerer::appendIndices(const ast::IndexExpr& e, std::vector<Reg>& operands) {
    operands.push_back(valueAs(*e.index, intType()));
    for (const Expr* each : e.more) operands.push_back(valueAs(*each, intType()));
}

Typed BodyLowerer::elementOf(std::vector<Reg> operands, TensorFn fn, const Type* type,
                             SourceRange range) {
    Reg result = b.value(Op::Tensor, type, std::move(operands), range);
    b.last().tensor = fn;
    return {result, type};
}

Typed BodyLowerer::tensorElement(const ast::IndexExpr& e) {
    std::vector<Reg> operands{operand(*e.object).reg};
    appendIndices(e, operands);
    return elementOf(std::move(operands), TensorFn::Read, typeOf(e), e.range);
}

/// Where the elements are not known yet a program can say what they are: (int) item(x) is item((int) x).
Typed BodyLowerer::castOperand(const Expr& operand, const Type* type) {
    const Expr& e = *ast::withoutParens(&operand);
    const Expr* object = nullptr;
    auto* element = ast::tryAs<ast::IndexExpr>(&e);
    auto* call = ast::tryAs<ast::CallExpr>(&e);
    if (element) object = element->object;
    if (call) {
        const sema::CallTarget* target = m.program.callOf(e.id);
        if (target->kind == sema::CallKind::Tensor && target->tensor == TensorFn::Item)
            object = call->args[0];
    }
    const bool isOpen =
        object && typeOf(*object)->is(TypeKind::Tensor) && !typeOf(*object)->element;
    if (!isOpen || !types::isTensorElement(type)) return this->operand(operand);
    std::vector<Reg> operands{
        tensorCast(this->operand(*object), m.types.tensor(type), e.range).reg};
    if (element) appendIndices(*element, operands);
    return elementOf(std::move(operands), element ? TensorFn::Read : TensorFn::Item, type, e.range);
}

/// To another type of elements.
Typed BodyLowerer::tensorCast(Typed value, const Type* type, SourceRange range) {
    Reg result = b.value(Op::Tensor, type, {value.reg}, range);
    b.last().tensor = TensorFn::Cast;
    return {result, type};
}

Typed BodyLowerer::tensorCall(const sema::CallTarget& target, std::span<const Expr* const> args,
                              SourceRange range) {
    std::string_view signature = types::info(target.tensor).signature;
    std::vector<Reg> operands;
    for (std::size_t k = 0; k < args.size(); ++k) {
        switch (types::operandAt(signature, k, args.size())) {
            case 'T': operands.push_back(tensorAs(*args[k], m.types.tensor())); break;
            case 'i':
                operands.push_back(typeOf(*args[k])->isAggregate() ? aggregate(*args[k]).ref
                                                                   : valueAs(*args[k], intType()));
                break;
            case 'S': operands.push_back(valueAs(*args[k], m.types.string())); break;
            default: operands.push_back(value(*args[k]).reg);
        }
    }
    bool isInferred = target.result->is(TypeKind::Tensor) && target.tensor != TensorFn::Cast;
    const Type* type = isInferred ? m.types.tensor() : target.result;
    Reg reg = b.value(Op::Tensor, type, std::move(operands), range);
    b.last().tensor = target.tensor;
    b.last().math = target.math;
    return {reg, type};
}

}  // namespace strc::lower::detail
