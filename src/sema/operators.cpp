#include "sema/detail/expressions.h"
#include "sema/detail/integer_division.h"
#include "sema/detail/tensors.h"
#include "sema/detail/types.h"

namespace strc::sema {
namespace {

using ast::BinaryOp;
using types::TypeKind;

bool isOrdered(BinaryOp op) { return op >= BinaryOp::Less && op <= BinaryOp::GreaterEqual; }
bool isCondition(const Type* type) {
    return type->is(TypeKind::Boolean) || type->is(TypeKind::Bit);
}
bool isInteger(const Type* type) { return type->is(TypeKind::Int) || type->is(TypeKind::Bit); }

/// What stands on one side of an operator; names the operand that is at fault.
Typed operandError(Checker& c, Diag id, const ast::BinaryExpr& expr, bool isLeft, const Type* type,
                   bool typeFirst) {
    Diagnostic& diag = c.error(id, (isLeft ? expr.left : expr.right)->range);
    if (typeFirst)
        diag << types::toString(type) << spelling(expr.op);
    else
        diag << spelling(expr.op) << types::toString(type);
    return failed(c);
}

Typed noCommonType(Checker& c, const ast::BinaryExpr& expr, const Type* left, const Type* right) {
    c.error(Diag::NoCommonType, expr.range)
        << spelling(expr.op) << types::toString(left) << types::toString(right);
    return failed(c);
}

Typed vectorError(Checker& c, const ast::BinaryExpr& expr, const Type* left, const Type* right) {
    c.error(Diag::VectorOperation, expr.range)
        << spelling(expr.op) << types::toString(left) << types::toString(right);
    return failed(c);
}

/// && and ||.
Typed checkLogical(Checker& c, const ast::BinaryExpr& expr, const Typed& left, const Typed& right) {
    bool isFine = true;
    for (auto [operand, side] : {std::pair(&left, expr.left), std::pair(&right, expr.right)}) {
        if (operand->type->isError() || isCondition(operand->type)) continue;
        Diagnostic& diag = c.error(Diag::LogicalOperand, side->range)
                           << spelling(expr.op) << types::toString(operand->type);
        if (operand->type->isReal()) adviseSuffix(diag, Diag::UseComparison, *side, "!= 0");
        isFine = false;
    }
    if (!isFine) return failed(c);
    return {c.types.boolean(),
            foldBinary(expr.op, left.constant, right.constant, TypeKind::Boolean), false};
}

/// | & ^: int×int, bit×bit, boolean×boolean.
Typed checkBitwise(Checker& c, const ast::BinaryExpr& expr, const Typed& left, const Typed& right) {
    bool booleans = left.type->is(TypeKind::Boolean) && right.type->is(TypeKind::Boolean);
    bool integers = isInteger(left.type) && isInteger(right.type);
    if (booleans || integers) {
        const Type* type = commonType(left.type, right.type);
        return {type, foldBinary(expr.op, left.constant, right.constant, type->kind),
                left.bitLike && right.bitLike};
    }
    for (bool isLeft : {true, false}) {
        const Type* type = (isLeft ? left : right).type;
        if (!isInteger(type) && !type->is(TypeKind::Boolean))
            return operandError(
                c, type->isAggregate() ? Diag::ArithmeticOperand : Diag::IntegerOperand, expr,
                isLeft, type, false);
    }
    return noCommonType(c, expr, left.type, right.type);
}

bool isEquatable(const Type* type) { return type->isNumeric() || type->is(TypeKind::Boolean); }

Typed checkEquality(Checker& c, const ast::BinaryExpr& expr, const Typed& left,
                    const Typed& right) {
    if (left.type->isFloatN() || right.type->isFloatN())
        return vectorError(c, expr, left.type, right.type);
    if (left.type->is(TypeKind::String) && right.type->is(TypeKind::String))
        return {c.types.boolean(), {}, false};
    for (bool isLeft : {true, false}) {
        const Type* type = (isLeft ? left : right).type;
        if (!isEquatable(type))
            return operandError(c, Diag::EqualityOperand, expr, isLeft, type, true);
    }
    const Type* type = commonType(left.type, right.type);
    if (!type) return noCommonType(c, expr, left.type, right.type);
    return {c.types.boolean(), foldBinary(expr.op, left.constant, right.constant, type->kind),
            false};
}

Typed checkOrder(Checker& c, const ast::BinaryExpr& expr, const Typed& left, const Typed& right) {
    if (left.type->isFloatN() || right.type->isFloatN())
        return vectorError(c, expr, left.type, right.type);
    for (bool isLeft : {true, false}) {
        const Type* type = (isLeft ? left : right).type;
        if (!type->isReal()) return operandError(c, Diag::OrderOperand, expr, isLeft, type, true);
    }
    const Type* type = commonType(left.type, right.type);
    return {c.types.boolean(), foldBinary(expr.op, left.constant, right.constant, type->kind),
            false};
}

/// v op v, v op s, s + v, s * v.
Typed checkVectorOp(Checker& c, const ast::BinaryExpr& expr, const Typed& left,
                    const Typed& right) {
    auto isScalar = [](const Type* type) { return type->isReal() && !type->is(TypeKind::Double); };
    if (left.type == right.type) return {left.type, {}, false};
    if (left.type->isFloatN() && isScalar(right.type)) return {left.type, {}, false};
    bool commutes = expr.op == BinaryOp::Add || expr.op == BinaryOp::Multiply;
    if (right.type->isFloatN() && isScalar(left.type) && commutes) return {right.type, {}, false};
    return vectorError(c, expr, left.type, right.type);
}

bool isConcatenable(const Type* type) {
    return type->isNumeric() || type->is(TypeKind::Boolean) || type->is(TypeKind::Char) ||
           type->is(TypeKind::String);
}

Typed checkConcatenation(Checker& c, const ast::BinaryExpr& expr, const Typed& left,
                         const Typed& right) {
    for (bool isLeft : {true, false}) {
        const Type* type = (isLeft ? left : right).type;
        if (isConcatenable(type)) continue;
        c.error(Diag::PrintType, (isLeft ? expr.left : expr.right)->range) << types::toString(type);
        return failed(c);
    }
    return {c.types.string(), {}, false};
}

/// + - * / on numbers: in int at least, also for bits.
Typed checkArithmetic(Checker& c, const ast::BinaryExpr& expr, const Typed& left,
                      const Typed& right) {
    bool isText = left.type->is(TypeKind::String) || right.type->is(TypeKind::String);
    if (isText && expr.op == BinaryOp::Add) return checkConcatenation(c, expr, left, right);
    if (left.type->isFloatN() || right.type->isFloatN()) return checkVectorOp(c, expr, left, right);
    bool leftFits = left.type->isNumeric();
    bool rightFits = right.type->isNumeric();
    if (!leftFits || !rightFits) {
        bool mixed = leftFits != rightFits &&
                     (left.type->is(TypeKind::Boolean) || right.type->is(TypeKind::Boolean));
        if (mixed) return noCommonType(c, expr, left.type, right.type);
        return operandError(c, Diag::ArithmeticOperand, expr, !leftFits,
                            (leftFits ? right : left).type, false);
    }
    const Type* type = commonType(left.type, right.type);
    if (type->is(TypeKind::Bit)) type = c.types.intType();
    checkIntegerDivision(c, *expr.left, left.type, type);
    checkIntegerDivision(c, *expr.right, right.type, type);
    return {type, foldBinary(expr.op, left.constant, right.constant, type->kind), false};
}

/// % << >>: int by int.
Typed checkIntegral(Checker& c, const ast::BinaryExpr& expr, const Typed& left,
                    const Typed& right) {
    for (bool isLeft : {true, false}) {
        const Type* type = (isLeft ? left : right).type;
        if (isInteger(type)) continue;
        bool isNumber = type->isNumeric() || type->isFloatN();
        return operandError(c, isNumber ? Diag::IntegerOperand : Diag::ArithmeticOperand, expr,
                            isLeft, type, false);
    }
    return {c.types.intType(), foldBinary(expr.op, left.constant, right.constant, TypeKind::Int),
            false};
}

/// What an operation would have given, so that one fault is reported once.
Typed afterError(Checker& c, BinaryOp op) {
    bool isBoolean = op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Equal ||
                     op == BinaryOp::NotEqual || isOrdered(op);
    return isBoolean ? Typed{c.types.boolean(), {}, false} : failed(c);
}

Typed withIntConstant(Typed value) {
    if (value.type->is(TypeKind::Int) && value.constant.isInteger())
        value.bitLike = value.constant.integer == 0 || value.constant.integer == 1;
    return value;
}

bool canCast(const Type* from, const Type* to) {
    if (from->is(TypeKind::Tensor)) return types::isTensorElement(to);
    if (from == to)
        return from->isScalar() && !from->is(TypeKind::String) && !from->is(TypeKind::Char);
    return from->isReal() && to->isNumeric();
}

}  // namespace

Typed checkBinary(Checker& c, const ast::BinaryExpr& expr, const Typed& left, const Typed& right) {
    if (expr.op == BinaryOp::And || expr.op == BinaryOp::Or)
        return checkLogical(c, expr, left, right);
    if (left.type->isError() || right.type->isError()) return afterError(c, expr.op);
    if (left.type->is(TypeKind::Tensor) || right.type->is(TypeKind::Tensor))
        return checkTensorBinary(c, expr, left, right);
    switch (expr.op) {
        case BinaryOp::BitOr:
        case BinaryOp::BitAnd:
        case BinaryOp::BitXor: return checkBitwise(c, expr, left, right);
        case BinaryOp::Equal:
        case BinaryOp::NotEqual: return checkEquality(c, expr, left, right);
        case BinaryOp::Less:
        case BinaryOp::LessEqual:
        case BinaryOp::Greater:
        case BinaryOp::GreaterEqual: return checkOrder(c, expr, left, right);
        case BinaryOp::Add:
        case BinaryOp::Subtract:
        case BinaryOp::Multiply:
        case BinaryOp::Divide: return withIntConstant(checkArithmetic(c, expr, left, right));
        case BinaryOp::Remainder:
        case BinaryOp::ShiftLeft:
        case BinaryOp::ShiftRight: return withIntConstant(checkIntegral(c, expr, left, right));
        case BinaryOp::And:
        case BinaryOp::Or: break;
    }
    STRC_UNREACHABLE("binary operator");
}

Typed checkUnary(Checker& c, const ast::UnaryExpr& expr) {
    Typed value = checkValue(c, *expr.operand);
    const Type* type = value.type;
    if (type->isError())
        return expr.op == ast::UnaryOp::Not ? Typed{c.types.boolean(), {}, false} : value;
    Diag fault = Diag::Count;
    switch (expr.op) {
        case ast::UnaryOp::Not:
            if (isCondition(type))
                return {c.types.boolean(), foldUnary(expr.op, value.constant, TypeKind::Boolean),
                        false};
            if (type->is(TypeKind::Tensor) &&
                (!type->element || type->element->is(TypeKind::Boolean)))
                return {c.types.tensor(c.types.boolean()), {}, false};
            fault = Diag::LogicalOperand;
            break;
        case ast::UnaryOp::Minus:
            if (type->isFloatN() || type->is(TypeKind::Complex)) return {type, {}, false};
            if (type->is(TypeKind::Tensor)) return {c.types.tensor(type->element), {}, false};
            if (type->is(TypeKind::Bit)) type = c.types.intType();
            if (type->isReal())
                return withIntConstant(
                    {type, foldUnary(expr.op, value.constant, type->kind), false});
            fault = Diag::ArithmeticOperand;
            break;
        case ast::UnaryOp::Complement:
            if (isInteger(type))
                return {type, foldUnary(expr.op, value.constant, type->kind),
                        type->is(TypeKind::Bit)};
            fault = type->isAggregate() ? Diag::ArithmeticOperand : Diag::IntegerOperand;
            break;
    }
    Diagnostic& diag = c.error(fault, expr.range) << spelling(expr.op) << types::toString(type);
    if (fault == Diag::LogicalOperand && type->isReal()) diag.note(Diag::UseComparison);
    return expr.op == ast::UnaryOp::Not ? Typed{c.types.boolean(), {}, false} : failed(c);
}

Typed checkConditional(Checker& c, const ast::ConditionalExpr& top) {
    // a ? b : c ? d : … leans right.
    std::vector<const ast::ConditionalExpr*> spine;
    std::vector<Typed> thenValues;
    const ast::Expr* expr = &top;
    while (auto* each = ast::tryAs<ast::ConditionalExpr>(expr)) {
        checkCondition(c, *each->condition);
        spine.push_back(each);
        thenValues.push_back(checkValue(c, *each->thenValue));
        expr = each->elseValue;
    }
    Typed value = checkValue(c, *expr);
    for (std::size_t i = spine.size(); i-- > 0;) {
        const Typed& first = thenValues[i];
        const Type* type = first.type->isError() || value.type->isError()
                               ? c.types.error()
                               : commonType(first.type, value.type);
        if (!type) {
            c.error(Diag::ConditionalBranches, spine[i]->range)
                << types::toString(first.type) << types::toString(value.type);
            type = c.types.error();
        }
        value = {type, {}, first.bitLike && value.bitLike};
        c.setType(spine[i]->id, type);
    }
    return value;
}

Typed checkCast(Checker& c, const ast::CastExpr& expr) {
    const Type* target = checkType(c, *expr.target, TypeUse::Cast, {});
    Typed value = checkValue(c, *expr.operand);
    if (target->isError() || value.type->isError()) return {target, {}, target->is(TypeKind::Bit)};
    if (value.type->is(TypeKind::Tensor) && canCast(value.type, target))
        return {c.types.tensor(target), {}, false};
    if (canCast(value.type, target)) {
        Constant constant = foldConvert(value.constant, target->kind);
        return withIntConstant({target, constant, target->is(TypeKind::Bit)});
    }
    Diagnostic& diag = c.error(Diag::InvalidCast, expr.range)
                       << types::toString(value.type) << types::toString(target);
    if (value.type->is(TypeKind::Boolean) && target->isReal()) diag.note(Diag::UseConditional);
    if (value.type->isReal() && target->is(TypeKind::Boolean)) diag.note(Diag::UseComparison);
    return failed(c);
}

}  // namespace strc::sema
