#pragma once
/// Finds the functions that code calls.

#include <vector>

#include "sema/program.h"

namespace strc::lower::detail {

/// Functions, handlers and package functions that a piece of code calls, and those that they call,
/// each once.
std::vector<const sema::FunctionInfo*> calledFrom(const sema::Program&, const ast::Expr&);
std::vector<const sema::FunctionInfo*> calledFrom(const sema::Program&, const ast::Stmt&);

/// The code of a function or handler; null for a native.
const ast::BlockStmt* codeOf(const sema::FunctionInfo&);

}  // namespace strc::lower::detail
