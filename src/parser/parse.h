#pragma once
/// Text to tree. In: a buffer of Context::sources. Out: its tree, in Context::arena; never null,
/// with Error nodes where text was not the language. Promises: every fault of the text is reported
/// in Context::diags with its exact range; no recursion over lists; nesting is bounded by
/// Limits::nesting; re-entrant; ANTLR stays inside this folder.

#include "ast/nodes.h"
#include "base/context.h"

namespace strc::parser {

/// `interrupt`: once it is set, what has been read so far is given up without a word; may be null.
const ast::Unit& parse(base::Context&, base::BufferId, const volatile bool* interrupt = nullptr);

/// One declaration, statement or expression that fills the buffer: what is typed at a prompt.
/// Null if the buffer holds none (blank or comments only).
const ast::Decl* parseDeclaration(base::Context&, base::BufferId);
const ast::Stmt* parseStatement(base::Context&, base::BufferId);
const ast::Expr* parseExpression(base::Context&, base::BufferId);

}  // namespace strc::parser
