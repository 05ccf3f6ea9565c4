// Calls of functions, handlers, natives and built-ins.

#include "lower/detail/calls.h"

#include "base/assert.h"
#include "lower/detail/aggregates.h"
#include "lower/detail/arithmetic.h"
#include "lower/detail/constants.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"
#include "lower/detail/files.h"
#include "lower/detail/tensors.h"
#include "lower/detail/vectors.h"
#include "lower/detail/walk.h"

namespace strc::lower::detail {

using ast::as;
using ast::Expr;
using sema::CallKind;
using types::MathFn;
using types::TypeKind;

namespace {

ir::Callee calleeOf(const FunctionInfo& function) {
    switch (function.kind) {
        case sema::FunctionKind::Function:
        case sema::FunctionKind::Handler: return {ir::CalleeKind::Stream, function.index};
        case sema::FunctionKind::Package: return {ir::CalleeKind::Package, function.index};
        case sema::FunctionKind::Native: return {ir::CalleeKind::Native, function.index};
    }
    return {};
}

/// Arrays by reference, all else by value (language.md 4.2).
void argument(BodyScope& in, std::vector<Reg>& operands, const FunctionInfo& function,
              std::size_t k, const Expr& e) {
    const Symbol& param = *function.params[k];
    if (!param.type->isAggregate()) return operands.push_back(valueAs(in, e, param.type));
    if (!param.type->is(TypeKind::Array)) return operands.push_back(privateCopy(in, e).ref);
    // Functions do not change constants, sema says; natives may do what they like.
    const ast::NameRef* root = rootOf(e);
    const Symbol* owner = root ? in.m.program.symbolOf(*root) : nullptr;
    bool isConstant = owner && owner->kind >= sema::SymbolKind::StreamParam;
    bool lent = !isConstant || function.kind != sema::FunctionKind::Native;
    Aggregate array = lent ? aggregate(in, e) : privateCopy(in, e);
    checkExtents(in, array, in.resolve(*param.typeExpr), *param.typeExpr, e.range);
    operands.push_back(array.ref);
}

}  // namespace

const FunctionInfo* functionOf(const BodyScope& in, const Expr& e) {
    return in.m.program.callOf(e.id)->function;
}

/// `result`: where an aggregate one goes.
Typed callFunction(BodyScope& in, const FunctionInfo& function, std::span<const Expr* const> args,
                   Reg result, SourceRange range) {
    std::vector<Reg> operands;
    if (result != kNone) operands.push_back(result);
    for (std::size_t k = 0; k < args.size(); ++k) argument(in, operands, function, k, *args[k]);
    bool isScalar = function.result->isScalar();
    Reg value = kNone;
    if (isScalar)
        value = in.b.value(Op::Call, function.result, std::move(operands), range);
    else
        in.b.emit(Op::Call, nullptr, std::move(operands), range);
    in.b.last().callee = calleeOf(function);
    return {value, function.result};
}

Reg math(BodyScope& in, MathFn fn, std::vector<Reg> doubles, SourceRange range) {
    Reg result = in.b.value(Op::Math, in.m.types.doubleType(), std::move(doubles), range);
    in.b.last().math = fn;
    return result;
}

namespace {

/// Computed in binary64, rounded once (language.md 16.1).
Typed realMath(BodyScope& in, MathFn fn, std::span<const Expr* const> args, SourceRange range) {
    std::vector<Reg> operands;
    for (const Expr* e : args) {
        std::optional<Value> known = constantAs(in, *e, in.m.types.doubleType());
        operands.push_back(known ? in.b.constant(std::move(*known), e->range)
                                 : convert(in, operand(in, *e), in.m.types.doubleType(), e->range));
    }
    Reg result = math(in, fn, std::move(operands), range);
    return {convert(in, {result, in.m.types.doubleType()}, in.floatType(), range), in.floatType()};
}

Typed complexMath(BodyScope& in, MathFn fn, bool toReal, std::span<const Expr* const> args,
                  SourceRange range) {
    std::vector<Reg> operands;
    for (const Expr* e : args) operands.push_back(valueAs(in, *e, in.m.types.complex()));
    const Type* type = toReal ? in.floatType() : in.m.types.complex();
    Reg result = in.b.value(Op::Math, type, std::move(operands), range);
    in.b.last().math = fn;
    return {result, type};
}

/// The parts of a concatenation, left to right; a chain can be long.
void flatten(const sema::Program& program, const Expr& e, std::vector<const Expr*>& parts) {
    std::vector<const Expr*> work{&e};
    while (!work.empty()) {
        const Expr* top = ast::withoutParens(work.back());
        work.pop_back();
        auto* sum = ast::tryAs<ast::BinaryExpr>(top);
        if (sum && sum->op == ast::BinaryOp::Add && program.typeOf(*sum)->is(TypeKind::String)) {
            work.push_back(sum->right);
            work.push_back(sum->left);
        } else {
            parts.push_back(top);
        }
    }
}

void print(BodyScope& in, std::span<const Expr* const> args, bool newLine, SourceRange range) {
    std::vector<const Expr*> parts;
    std::vector<Typed> values;
    for (const Expr* e : args) flatten(in.m.program, *e, parts);
    for (const Expr* part : parts) values.push_back(value(in, *part));
    for (std::size_t k = 0; k < parts.size(); ++k)
        in.b.emit(Op::Print, values[k].type, {values[k].reg}, parts[k]->range);
    if (newLine) in.b.emit(Op::NewLine, nullptr, {}, range);
}

}  // namespace

Typed call(BodyScope& in, ast::NodeId id, std::span<const Expr* const> args, SourceRange range) {
    const sema::CallTarget& target = *in.m.program.callOf(id);
    switch (target.kind) {
        case CallKind::Function:
            if (!target.function->result->isAggregate())
                return callFunction(in, *target.function, args, kNone, range);
            callAggregate(in, *target.function, args, range);
            return {};
        case CallKind::RealMath: return realMath(in, target.math, args, range);
        case CallKind::ComplexMath: return complexMath(in, target.math, false, args, range);
        case CallKind::ComplexToReal: return complexMath(in, target.math, true, args, range);
        case CallKind::VectorMath:
            return vectorFunction(in, target.vectorFunction.text(), args, range);
        case CallKind::Tensor: return tensorCall(in, target, args, range);
        case CallKind::Random:
            return {in.b.value(Op::Random, in.m.types.doubleType(), {}, range),
                    in.m.types.doubleType()};
        case CallKind::Character: {
            const Type* type = in.m.types.scalar(TypeKind::Char);
            const Reg code = valueAs(in, *args[0], in.m.types.intType());
            return {in.b.value(Op::Convert, type, {code}, range), type};
        }
        case CallKind::Print:
        case CallKind::Println: print(in, args, target.kind == CallKind::Println, range); return {};
        case CallKind::Require: {
            const Reg holds = valueAs(in, *args[0], in.m.types.boolean());
            const Reg text = valueAs(in, *args[1], in.m.types.string());
            in.b.emit(Op::Require, nullptr, {holds, text}, range);
            return {};
        }
        case CallKind::SampleRate: return fileFact(in, true, args, range);
        case CallKind::Channels: return fileFact(in, false, args, range);
        case CallKind::FileArray: return {};  // a statement, which does nothing
        case CallKind::InitArray:
        case CallKind::Error: break;
    }
    STRC_UNREACHABLE("a call without meaning");
}

}  // namespace strc::lower::detail
