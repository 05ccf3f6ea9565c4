#pragma once
/// Declarations of variables: locals, fields and globals.

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// Declares a variable, and initialises it if there is an initialiser.
void declare(BodyScope& in, VarRef, const Type*, const ast::TypeExpr&, const ast::Expr* initialiser,
             SourceRange);
/// Begins the life of a variable with the extents of its type as written.
void beginLife(BodyScope& in, VarRef, const Type*, const ast::TypeExpr&, SourceRange);
void initialise(BodyScope& in, VarRef, const Type*, const ast::Expr&, SourceRange);
/// True if some length is `_`.
bool hasOpenLength(const BodyScope& in, const ast::TypeExpr&);
/// Declares and initialises a variable that is as long as its initialiser.
void declareOpen(BodyScope& in, VarRef, const Type*, const ast::Expr& initialiser, SourceRange);
/// Local variables.
void variables(BodyScope& in, const ast::VariablesStmt&);

}  // namespace strc::lower::detail
