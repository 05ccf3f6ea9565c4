// Declarations of variables.

#include "lower/detail/declarations.h"

#include "lower/detail/aggregates.h"
#include "lower/detail/expressions.h"
#include "lower/detail/extents.h"
#include "lower/detail/initialisers.h"

namespace strc::lower::detail {

using ast::Expr;
using ir::Space;
using types::TypeKind;

bool hasOpenLength(const BodyScope& in, const ast::TypeExpr& written) {
    for (const ast::TypeExpr* t = &written; t->kind == ast::TypeExprKind::Array; t = t->element)
        if (t->bound && in.m.program.isOpenLength(*t->bound)) return true;
    return false;
}

void beginLife(BodyScope& in, VarRef var, const Type* type, const ast::TypeExpr& written,
               SourceRange range) {
    std::vector<Reg> bounds;
    if (!isConcrete(type)) bounds = extents(in, type, written);
    in.b.emit(Op::Declare, nullptr, std::move(bounds), range).var = var;
}

void initialise(BodyScope& in, VarRef var, const Type* type, const Expr& e, SourceRange range) {
    if (type->isScalar()) return in.b.store(var, type, valueAs(in, e, type), range);
    into(in, {in.b.address(var, type, range), type, {var, 0}}, e, var.space == Space::Local);
}

void declareOpen(BodyScope& in, VarRef var, const Type* type, const Expr& initialiser,
                 SourceRange range) {
    const Expr& e = *ast::withoutParens(&initialiser);
    auto* literal = ast::tryAs<ast::ArrayLiteral>(&e);
    const Type* own = literal ? literalType(in, *literal, type) : form(in, e).type;
    std::vector<Reg> lengths = isConcrete(own) ? extents(in, own, Shape{}, range)
                               : literal       ? literalExtents(in, *literal, own)
                                               : extents(in, form(in, e), range);
    in.b.emit(Op::Declare, nullptr, std::move(lengths), range).var = var;
    if (var.space == Space::Local) in.b.last().flag = true;
    initialise(in, var, type, initialiser, range);
}

void declare(BodyScope& in, VarRef var, const Type* type, const ast::TypeExpr& written,
             const Expr* initialiser, SourceRange range) {
    if (type->is(TypeKind::Portal))
        return in.b.store(var, type, in.b.value(Op::NewPortal, type, {}, range), range);
    bool isShaped = type->is(TypeKind::Tensor) && type->isRanked;
    if (initialiser && hasOpenLength(in, written))
        return declareOpen(in, var, type, *initialiser, range);
    if (!initialiser || !type->isScalar() || isShaped) beginLife(in, var, type, written, range);
    if (!initialiser) return;
    if (type->isAggregate() && var.space == Space::Local) in.b.last().flag = true;
    initialise(in, var, type, *initialiser, range);
}

void variables(BodyScope& in, const ast::VariablesStmt& s) {
    const Type* type = in.resolve(*s.type);
    if (in.m.failed) return;
    for (const ast::Declarator& d : s.variables) {
        VarRef var{Space::Local, in.b.addLocal(d.name.name.str(), type, d.name.range)};
        in.slots[in.m.program.symbolOf(d.id)] = var.index;
        declare(in, var, type, *s.type, d.initialiser, d.name.range);
        in.visible.push_back(var.index);
    }
}

}  // namespace strc::lower::detail
