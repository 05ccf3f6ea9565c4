#pragma once
/// Statements: their parts, and where each may stand.

#include "sema/detail/checker.h"

namespace strc::sema {

void checkStmt(Checker&, const ast::Stmt&);
/// A block's statements in a level of nesting of their own.
void checkBlock(Checker&, const ast::BlockStmt&);
/// A function's outermost block, in the level of nesting at hand.
void checkOuterBlock(Checker&, const ast::BlockStmt&);
/// Locals, or the statement's own meaning for fields and globals: the initialiser of a symbol whose
/// type is known.
void checkInitialiser(Checker&, const Symbol&, const ast::Expr&);

void checkCreate(Checker&, const ast::CreateStmt&);

/// Reports a function with a result that can end without one.
void checkReturns(Checker&, const Body&, const ast::FunctionDecl&);

}  // namespace strc::sema
