#pragma once
/// The style of statements.

#include "ast/detail/format_printer.h"

namespace strc::ast {

void statement(FormatPrinter& p, const Stmt& stmt);
/// Variables, without the `;`.
void variables(FormatPrinter& p, const VariablesStmt& stmt);
void block(FormatPrinter& p, const BlockStmt& block);
/// A block behind a header.
void bodyBlock(FormatPrinter& p, const BlockStmt& block);

}  // namespace strc::ast
