#pragma once
/// Says what is malformed in a body: operand counts and types, registers used before or outside
/// their definition, blocks not properly nested, effects where the kind of body forbids them.

#include <string>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// One sentence for each fault, with the instruction's text. Empty: well formed.
std::vector<std::string> verify(const Module&);
/// `stream` may be null for package functions and static items.
std::vector<std::string> verify(const Module&, const StreamCode* stream, const Body&);

}  // namespace strc::ir
