#pragma once
/// Files that are looked at while the graph is built: their lengths, items and facts.

#include <span>

#include "lower/detail/body_scope.h"

namespace strc::lower::detail {

/// The length of a file as an array.
Reg fileLength(BodyScope& in, const ast::CallExpr&);
/// Reads the items of a file into an array of that length.
void readItems(BodyScope& in, const Aggregate& to, const ast::CallExpr&);
/// The sample rate of a file, or how many channels it has. Without a file the question is about the
/// program's input.
Typed fileFact(BodyScope& in, bool isRate, std::span<const ast::Expr* const> args, SourceRange);

}  // namespace strc::lower::detail
