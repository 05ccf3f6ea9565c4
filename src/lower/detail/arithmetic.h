#pragma once
/// Operators on values in registers, and conversions.

#include "ast/nodes.h"
#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

Reg convert(BodyScope& in, Typed, const Type*, SourceRange);
/// A bit counts as true if it is not 0.
Typed asCondition(BodyScope& in, Typed, SourceRange);
/// Any binary operator but the short circuits.
Typed combine(BodyScope& in, ast::BinaryOp, Typed left, Typed right, SourceRange);
/// The value after `++` or `--`.
Typed increased(BodyScope& in, Typed, bool decrement, SourceRange);

}  // namespace strc::lower::detail
