// Calls of functions, handlers, natives and built-ins.

#include "base/assert.h"
#include "lower/detail/lowerer.h"
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

}  // namespace

const FunctionInfo* BodyLowerer::functionOf(const Expr& e) const {
    return m.program.callOf(e.id)->function;
}

Typed BodyLowerer::call(ast::NodeId id, std::span<const Expr* const> args, SourceRange range) {
    const sema::CallTarget& target = *m.program.callOf(id);
    switch (target.kind) {
        case CallKind::Function:
            if (!target.function->result->isAggregate())
                return callFunction(*target.function, args, kNone, range);
            callAggregate(*target.function, args, range);
            return {};
        case CallKind::RealMath: return realMath(target.math, args, range);
        case CallKind::ComplexMath: return complexMath(target.math, false, args, range);
        case CallKind::ComplexToReal: return complexMath(target.math, true, args, range);
        case CallKind::VectorMath: return vectorFunction(target.vectorFunction.text(), args, range);
        case CallKind::Tensor: return tensorCall(target, args, range);
        case CallKind::Random:
            return {b.value(Op::Random, m.types.doubleType(), {}, range), m.types.doubleType()};
        case CallKind::Print:
        case CallKind::Println: print(args, target.kind == CallKind::Println, range); return {};
        case CallKind::Require: {
            const Reg holds = valueAs(*args[0], m.types.boolean());
            const Reg text = valueAs(*args[1], m.types.string());
            b.emit(Op::Require, nullptr, {holds, text}, range);
            return {};
        }
        case CallKind::SampleRate: return fileFact(true, args, range);
        case CallKind::Channels: return fileFact(false, args, range);
        case CallKind::FileArray: return {};  // a statement, which does nothing
        case CallKind::InitArray:
        case CallKind::Error: break;
    }
    STRC_UNREACHABLE("a call without meaning");
}

// ---------------------------------------------------------------- user functions

/// `result`: where an aggregate one goes.
Typed BodyLowerer::callFunction(const FunctionInfo& function, std::span<const Expr* const> args,
                                Reg result, SourceRange range) {
    std::vector<Reg> operands;
    if (result != kNone) operands.push_back(result);
    for (std::size_t k = 0; k < args.size(); ++k) argument(operands, function, k, *args[k]);
    bool isScalar = function.result->isScalar();
    Reg value = kNone;
    if (isScalar)
        value = b.value(Op::Call, function.result, std::move(operands), range);
    else
        b.emit(Op::Call, nullptr, std::move(operands), range);
    b.last().callee = calleeOf(function);
    return {value, function.result};
}

/// Arrays by reference, all else by value (language.md 4.2).
void BodyLowerer::argument(std::vector<Reg>& operands, const FunctionInfo& function, std::size_t k,
                           const Expr& e) {
    const Symbol& param = *function.params[k];
    if (!param.type->isAggregate()) return operands.push_back(valueAs(e, param.type));
    if (!param.type->is(TypeKind::Array)) return operands.push_back(privateCopy(e).ref);
    // Functions do not change constants, sema says; natives may do what they like.
    const ast::NameRef* root = rootOf(e);
    const Symbol* owner = root ? m.program.symbolOf(*root) : nullptr;
    bool isConstant = owner && owner->kind >= sema::SymbolKind::StreamParam;
    bool lent = !isConstant || function.kind != sema::FunctionKind::Native;
    Aggregate array = lent ? aggregate(e) : privateCopy(e);
    checkExtents(array, resolve(*param.typeExpr), *param.typeExpr, e.range);
    operands.push_back(array.ref);
}

// ---------------------------------------------------------------- built-ins

Reg BodyLowerer::math(MathFn fn, std::vector<Reg> doubles, SourceRange range) {
    Reg result = b.value(Op::Math, m.types.doubleType(), std::move(doubles), range);
    b.last().math = fn;
    return result;
}

/// Computed in binary64, rounded once (language.md 16.1).
Typed BodyLowerer::realMath(MathFn fn, std::span<const Expr* const> args, SourceRange range) {
    std::vector<Reg> operands;
    for (const Expr* e : args) {
        std::optional<Value> known = constantAs(*e, m.types.doubleType());
        operands.push_back(known ? b.constant(std::move(*known), e->range)
                                 : convert(operand(*e), m.types.doubleType(), e->range));
    }
    Reg result = math(fn, std::move(operands), range);
    return {convert({result, m.types.doubleType()}, floatType(), range), floatType()};
}

Typed BodyLowerer::complexMath(MathFn fn, bool toReal, std::span<const Expr* const> args,
                               SourceRange range) {
    std::vector<Reg> operands;
    for (const Expr* e : args) operands.push_back(valueAs(*e, m.types.complex()));
    const Type* type = toReal ? floatType() : m.types.complex();
    Reg result = b.value(Op::Math, type, std::move(operands), range);
    b.last().math = fn;
    return {result, type};
}

namespace {

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

}  // namespace

void BodyLowerer::print(std::span<const Expr* const> args, bool newLine, SourceRange range) {
    std::vector<const Expr*> parts;
    std::vector<Typed> values;
    for (const Expr* e : args) flatten(m.program, *e, parts);
    for (const Expr* part : parts) values.push_back(value(*part));
    for (std::size_t k = 0; k < parts.size(); ++k)
        b.emit(Op::Print, values[k].type, {values[k].reg}, parts[k]->range);
    if (newLine) b.emit(Op::NewLine, nullptr, {}, range);
}

}  // namespace strc::lower::detail
