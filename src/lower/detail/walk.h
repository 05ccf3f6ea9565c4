#pragma once
/// Visits of subtrees, for questions that need no context.

#include <functional>

#include "ast/nodes.h"

namespace strc::lower::detail {

/// Calls `visit` for an expression and all in it, outer ones first. Does not recurse over long
/// chains or lists.
void forEachExpr(const ast::Expr&, const std::function<void(const ast::Expr&)>& visit);
/// The same for all expressions that stand in a statement; `statement` is called for each statement.
/// Anonymous streams are not entered.
void forEachExpr(const ast::Stmt&, const std::function<void(const ast::Expr&)>& visit,
                 const std::function<void(const ast::Stmt&)>& statement);

/// May evaluating it change a variable or a tape?
bool hasEffects(const ast::Expr&);
/// The variable's name at the bottom of `a[i].x[j]`, or null.
const ast::NameRef* rootOf(const ast::Expr&);

}  // namespace strc::lower::detail
