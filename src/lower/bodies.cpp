// Bodies as wholes: parameters and results.

#include "lower/detail/bodies.h"

#include "ir/specialize.h"
#include "lower/detail/aggregates.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"
#include "lower/detail/initialisers.h"
#include "lower/detail/statements.h"

namespace strc::lower::detail {

using ir::Space;

namespace {

void setResult(BodyScope& in, const Type* type, SourceRange range) {
    in.b.body.result = type;
    if (!type->isAggregate()) return;
    in.b.addLocal("result", type, range);
    in.b.body.params = 1;
}

}  // namespace

void setFunction(BodyScope& in, const FunctionInfo& function) {
    auto* decl = ast::tryAs<ast::FunctionDecl>(function.decl);
    if (decl) setResult(in, in.resolve(*decl->result), decl->result->range);
    for (const Symbol* param : function.params)
        in.slots[param] =
            in.b.addLocal(param->name.str(), in.resolve(*param->typeExpr), param->range);
    in.b.body.params = static_cast<std::uint32_t>(in.b.body.locals.size());
    if (in.m.failed) return;
    auto declareParameter = [&](std::uint32_t index, const ast::TypeExpr& written) {
        const Type* type = in.b.body.locals[index].type;
        if (type->isScalar() || isConcrete(type)) return;
        in.b.emit(Op::Declare, nullptr, extents(in, type, written), written.range).var = {
            Space::Local, index};
    };
    if (decl && in.b.body.result->isAggregate()) declareParameter(0, *decl->result);
    for (const Symbol* param : function.params) declareParameter(in.slots[param], *param->typeExpr);
}

void setDefault(BodyScope& in, const ast::Expr& e, const Type* type) {
    std::vector<Reg> extents;
    if (auto* literal = ast::tryAs<ast::ArrayLiteral>(ast::withoutParens(&e))) {
        type = literalType(in, *literal, type);
        extents = literalExtents(in, *literal, type);
    } else if (type->isAggregate()) {
        Form like = form(in, e);
        type = like.type;
        extents = detail::extents(in, like, e.range);
    }
    setResult(in, type, e.range);
    if (!extents.empty())
        in.b.emit(Op::Declare, nullptr, std::move(extents), e.range).var = {Space::Local, 0};
    returnValue(in, e, e.range);
}

std::optional<std::int64_t> constantInt(ModuleScope& scope, const ast::Expr& e) {
    BodyScope scratch(scope, nullptr, "bound", ir::BodyKind::Static, e.range);
    Reg value = valueAs(scratch, e, scope.types.intType());
    scratch.b.end(Op::Return, {value}, e.range);
    ir::Body body = scratch.finish();
    ir::fold(body);
    const std::vector<Instr>& instrs = body.blocks[body.entry].instrs;
    for (const Instr& instr : instrs)
        if (instr.result == instrs.back().operands[0] && instr.op == Op::Const)
            return instr.value.toInt();
    return std::nullopt;
}

void storeInt(BodyScope& in, VarRef var, const ast::Expr& e) {
    in.b.store(var, in.intType(), valueAs(in, e, in.intType()), e.range);
}

}  // namespace strc::lower::detail
