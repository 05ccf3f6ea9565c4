#pragma once
/// The warning `integer-division`. Private to sema.

#include "sema/detail/checker.h"

namespace strc::sema {

/// An expression of type `from` becomes a number of type `to`. Warns where `from` is an integer, `to` a real or complex
/// number, and the value comes from a division that dropped its fraction before: `1 / taps`, `n * (a / b)`.
void checkIntegerDivision(Checker&, const ast::Expr&, const Type* from, const Type* to);

}  // namespace strc::sema
