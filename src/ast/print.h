#pragma once
/// The tree as text. `dump` shows the tree itself, one node a line, indented, without ranges (for
/// --emit=ast and golden tests: equal trees give equal dumps). `format` is `strc fmt`: source text
/// that parses back to the same tree, comments kept, one style; formatting twice changes nothing.

#include <string>

#include "ast/nodes.h"
#include "base/source.h"

namespace strc::ast {

std::string dump(const Unit&);
std::string dump(const Expr&);
std::string format(const Unit&, const base::SourceManager&);

}  // namespace strc::ast
