#pragma once
/// The tree as text.
///
/// The style of `format`:
/// - 4 spaces a level, `{` on the line of what it belongs to, one statement a line, spaces around
///   binary operators, none inside brackets; at most one blank line where there was one, none after
///   `{` and before `}`.
/// - A block that was written on one line, from `{` to `}`, stays so if it fits; so does a single
///   statement on the line of its `if` or loop. The blocks of an `if` and its `else`s go together.
/// - Lines have up to 100 columns. Longer ones are broken after commas, after operators and before
///   `:` of a condition, with 4 more columns of indentation (8 in what a block follows). The
///   numbers of a table fill its lines, its rows have a line each; a table that was written on
///   several lines keeps them.
/// - Names, literals, parentheses and optional brackets stay as written. Only `;` that mean nothing
///   go, except that behind an anonymous stream.
/// - Comments stay at their tokens (format_tokens.h says how). Inside, only blanks at line ends go;
///   further lines move with the first one. `//` behind code stays at its distance from the margin
///   if it can, so that columns of comments remain columns.

#include <string>

#include "ast/nodes.h"
#include "base/source.h"

namespace strc::ast {

/// The tree itself, one node a line, indented, without ranges: equal trees give equal dumps. For
/// --emit=ast and golden tests.
std::string dump(const Unit&);
std::string dump(const Expr&);

/// `strc fmt`: source text that parses back to the same tree; formatting twice changes nothing. The
/// unit must be free of errors, and its buffer still there. Time is linear in the text.
std::string format(const Unit&, const base::SourceManager&);

}  // namespace strc::ast
