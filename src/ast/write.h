#pragma once
/// A tree that no text was read for, as text: complete and in the language, but without layout; `format` lays it out.

#include <string>

#include "ast/nodes.h"

namespace strc::ast {

/// Parentheses stand where the levels of operators ask for them, and where readers who know C want them. The tree has no Error nodes. Reading the text gives the same
/// tree, up to places and parentheses.
std::string write(const Unit&);

}  // namespace strc::ast
