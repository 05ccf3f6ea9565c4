#pragma once
/// Bodies as wholes: their parameters and results, and bodies of one expression.

#include <optional>

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// Declares the result and the parameters of the function whose body it is.
void setFunction(BodyScope& in, const FunctionInfo&);
/// `e`, in a type of which the lengths may be open, becomes the body's result.
void setDefault(BodyScope& in, const ast::Expr& e, const Type*);

/// The value of an int expression in which everything is known; nothing if it has to be run.
std::optional<std::int64_t> constantInt(ModuleScope&, const ast::Expr&);
/// Stores an int expression to a variable.
void storeInt(BodyScope& in, VarRef, const ast::Expr&);

}  // namespace strc::lower::detail
