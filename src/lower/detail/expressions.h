#pragma once
/// Scalar expressions.

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// A scalar in the expression's own type.
Typed value(BodyScope& in, const ast::Expr&);
/// The same, except that random() stays in binary64.
Typed operand(BodyScope& in, const ast::Expr&);
/// The value converted to a scalar type, tensors included.
Reg valueAs(BodyScope& in, const ast::Expr&, const Type*);
/// The value as a boolean.
Reg condition(BodyScope& in, const ast::Expr&);
/// Evaluates for the effects alone.
void effect(BodyScope& in, const ast::Expr&);

}  // namespace strc::lower::detail
