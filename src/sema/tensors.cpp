#include "sema/detail/tensors.h"

#include "sema/detail/calls.h"
#include "sema/detail/expressions.h"
#include "sema/detail/scopes.h"

namespace strc::sema {
namespace {

using ast::BinaryOp;
using types::TensorFn;
using types::TypeKind;

CallTarget& targetOf(Checker& c, const ast::CallExpr& call, TensorFn fn) {
    CallTarget& target = c.tables.calls[call.id.index];
    target.kind = CallKind::Tensor;
    target.tensor = fn;
    return target;
}

/// What one element is as a scalar of the language: float where the type is still to be inferred.
const Type* scalarOf(Checker& c, const Type* tensor) {
    if (!tensor->is(TypeKind::Tensor)) return tensor;
    if (!tensor->element) return c.types.floatType();
    switch (tensor->element->kind) {
        case TypeKind::Int8:
        case TypeKind::Long: return c.types.intType();
        case TypeKind::Half:
        case TypeKind::BFloat16: return c.types.floatType();
        default: return tensor->element;
    }
}

bool isNumber(const Type* type) { return type->isReal() || type->is(TypeKind::Boolean); }

bool isComparison(BinaryOp op) { return op >= BinaryOp::Equal && op <= BinaryOp::GreaterEqual; }

bool isTensorOperator(BinaryOp op) {
    return isComparison(op) || (op >= BinaryOp::Add && op <= BinaryOp::Divide);
}

/// The element type if both sides have the same, known one.
const Type* resultOf(Checker& c, const Type* left, const Type* right) {
    bool isSame = left->is(TypeKind::Tensor) && right->is(TypeKind::Tensor) &&
                  left->element == right->element;
    return c.types.tensor(isSame ? left->element : nullptr);
}

const Type* wantedType(Checker& c, char kind) {
    switch (kind) {
        case 'T': return c.types.tensor();
        case 'i': return c.types.intType();
        case 'r': return c.types.floatType();
        default: return c.types.string();
    }
}

bool fits(const Type* type, char kind) {
    switch (kind) {
        case 'T': return type->is(TypeKind::Tensor) || becomesTensor(type);
        case 'r': return isNumber(type);
        default: return false;
    }
}

bool isListOfInts(const Type* type) {
    return type->is(TypeKind::Array) && type->element->is(TypeKind::Int);
}

void checkOperands(Checker& c, const ast::CallExpr& call, std::string_view signature,
                   std::span<const Typed> args) {
    for (std::size_t k = 0; k < args.size(); ++k) {
        char kind = types::operandAt(signature, k, args.size());
        bool isList = kind == 'i' && types::takesList(signature) && isListOfInts(args[k].type);
        if (args[k].type->isError() || isList || fits(args[k].type, kind)) continue;
        Target target;
        target.type = wantedType(c, kind);
        target.site = Site::Argument;
        target.subject = call.callee.name;
        target.position = static_cast<std::uint32_t>(k + 1);
        convert(c, *call.args[k], args[k], target);
    }
}

const Type* resultOf(Checker& c, TensorFn fn, std::span<const Typed> args) {
    switch (fn) {
        case TensorFn::Item: return scalarOf(c, args[0].type);
        case TensorFn::Size:
        case TensorFn::Rank: return c.types.intType();
        case TensorFn::Arange:
        case TensorFn::Argmax: return c.types.tensor(c.types.scalar(TypeKind::Long));
        case TensorFn::Zeros:
        case TensorFn::Ones: return c.types.tensor(c.types.floatType());
        default: return c.types.tensor();
    }
}

}  // namespace

bool becomesTensor(const Type* type) { return types::isTensorElement(types::innermost(type)); }

bool isOutsideStream(const Checker& c) {
    switch (c.body->place) {
        case CodeKind::Static:
        case CodeKind::FieldType:
        case CodeKind::FieldInit:
        case CodeKind::StreamType:
        case CodeKind::Init:
        case CodeKind::Work:
        case CodeKind::Prework:
        case CodeKind::Function:
        case CodeKind::Handler:
        case CodeKind::Composite: return false;
        default: return true;
    }
}

bool reportOutsideFilter(Checker& c, SourceRange range) {
    if (!isOutsideStream(c)) return false;
    c.error(Diag::TensorPlace, range) << "used outside of filters and static items";
    return true;
}

Typed checkTensorBinary(Checker& c, const ast::BinaryExpr& expr, const Typed& left,
                        const Typed& right) {
    for (bool isLeft : {true, false}) {
        const Type* type = (isLeft ? left : right).type;
        bool isFine = isTensorOperator(expr.op) && (type->is(TypeKind::Tensor) || isNumber(type));
        if (isFine) continue;
        base::Diagnostic& fault =
            c.error(Diag::ArithmeticOperand, (isLeft ? expr.left : expr.right)->range)
            << spelling(expr.op) << types::toString(type);
        if (type->is(TypeKind::String))
            fault.note(Diag::Hint)
                << "a tensor is printed by itself: 'print(\"x = \"); println(x);'";
        return failed(c);
    }
    if (isComparison(expr.op)) return {c.types.tensor(c.types.boolean()), {}, false};
    return {resultOf(c, left.type, right.type), {}, false};
}

Typed checkTensorElement(Checker& c, const Type* tensor, const ast::IndexExpr& expr) {
    checkIndex(c, *expr.index, "an index of a tensor");
    for (const ast::Expr* each : expr.more) checkIndex(c, *each, "an index of a tensor");
    std::size_t given = 1 + expr.more.size();
    if (tensor->isRanked && given != tensor->dims.size()) {
        c.error(Diag::TensorIndex, expr.range);
        return failed(c);
    }
    return {scalarOf(c, tensor), {}, false};
}

Typed checkTensorMath(Checker& c, const ast::CallExpr& call, types::MathFn fn,
                      std::span<const Typed> args) {
    if (fn == types::MathFn::Arg || fn == types::MathFn::Csqrt) {
        c.error(Diag::NotConvertible, call.range)
            << "tensor" << "complex"
            << "an argument of '" + std::string(call.callee.name.text()) + "'";
        return failed(c);
    }
    checkOperands(c, call, types::info(TensorFn::Math).signature, args);
    CallTarget& target = targetOf(c, call, TensorFn::Math);
    target.math = fn;
    target.result = c.types.tensor();
    return {target.result, {}, false};
}

/// `half(x)`: elements that no scalar has. Null: it is no such call.
const Type* findElement(Checker& c, const ast::CallExpr& call) {
    std::string_view name = call.callee.name.text();
    for (TypeKind kind : {TypeKind::Long, TypeKind::Int8, TypeKind::Half, TypeKind::BFloat16})
        if (types::toString(c.types.scalar(kind)) == name) return c.types.scalar(kind);
    return nullptr;
}

std::optional<Typed> checkElementCall(Checker& c, const ast::CallExpr& call, const Type* element) {
    std::vector<Typed> args;
    for (const ast::Expr* arg : call.args) args.push_back(checkValue(c, *arg));
    std::string_view name = call.callee.name.text();
    if (checkArgumentCount(c, call.callee.range, {"function", name}, {1, 1, args.size()}) ||
        args[0].type->isError())
        return failed(c);
    checkOperands(c, call, "T", args);
    if (reportOutsideFilter(c, call.range)) return failed(c);
    reportNotFixed(c, call.range, name);
    CallTarget& target = targetOf(c, call, TensorFn::Cast);
    target.result = c.types.tensor(element);
    return Typed{target.result, {}, false};
}

std::optional<Typed> checkTensorCall(Checker& c, const ast::CallExpr& call) {
    if (const Type* element = findElement(c, call)) return checkElementCall(c, call, element);
    TensorFn fn = types::findTensorFn(call.callee.name.text());
    if (fn == TensorFn::Count) return std::nullopt;
    const types::TensorFnInfo& row = types::info(fn);
    if (row.form == types::TensorForm::Operator) return std::nullopt;
    std::vector<Typed> args;
    for (const ast::Expr* arg : call.args) args.push_back(checkValue(c, *arg));
    types::OperandCount count = types::operandCount(row.signature);
    if (checkArgumentCount(c, call.callee.range, {"function", row.name},
                           {count.least, count.most, args.size()}))
        return failed(c);
    for (const Typed& arg : args)
        if (arg.type->isError()) return failed(c);
    checkOperands(c, call, row.signature, args);
    if (reportOutsideFilter(c, call.range)) return failed(c);
    reportNotFixed(c, call.range, row.name);
    CallTarget& target = targetOf(c, call, fn);
    target.result = resultOf(c, fn, args);
    return Typed{target.result, {}, false};
}

}  // namespace strc::sema
