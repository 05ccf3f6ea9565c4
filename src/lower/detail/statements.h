#pragma once
/// Statements.

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// A statement that follows the end of a block (after a return, say) never runs and is left out.
void statement(BodyScope& in, const ast::Stmt&);
void returnValue(BodyScope& in, const ast::Expr&, SourceRange);

}  // namespace strc::lower::detail
