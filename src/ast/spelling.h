#pragma once
/// Words and operators as a program writes them, and how operators bind.

#include <string_view>

#include "ast/nodes.h"

namespace strc::ast {

std::string_view spelling(Primitive);
std::string_view spelling(AssignOp);
std::string_view spelling(StreamKind);
std::string_view spelling(RateKind);

/// The level of an operator in the table of language.md (5.1); operators of one level form one list of operands.
int level(BinaryOp);

}  // namespace strc::ast
