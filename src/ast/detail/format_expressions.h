#pragma once
/// The style of types and expressions.

#include "ast/detail/format_printer.h"

namespace strc::ast {

void type(FormatPrinter& p, const TypeExpr& type);
void expr(FormatPrinter& p, const Expr& expr);
/// Arguments in parentheses.
void arguments(FormatPrinter& p, std::span<const Expr* const> args);
/// The comma before all items of a list but the first one, and the break after it.
void separator(FormatPrinter& p, bool isFirst);

}  // namespace strc::ast
