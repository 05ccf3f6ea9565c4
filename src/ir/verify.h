#pragma once
/// Says what is malformed in a body: operand counts and types, registers used before or outside
/// their definition, blocks not properly nested, effects where the kind of body forbids them.

#include <string>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

struct Fault {
    std::string text;  ///< a sentence with the instruction's text
    SourceRange range;  ///< of the instruction, if it has one
};
/// Of all bodies. Empty: well formed.
std::vector<Fault> faultsOf(const Module&);

/// The sentences alone.
std::vector<std::string> verify(const Module&);
/// `stream` may be null for package functions and static items.
std::vector<std::string> verify(const Module&, const StreamCode* stream, const Body&);

}  // namespace strc::ir
