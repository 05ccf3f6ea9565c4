#pragma once
/// The style of declarations.

#include "ast/detail/format_printer.h"

namespace strc::ast {

void stream(FormatPrinter& p, const StreamDecl& decl);

}  // namespace strc::ast
