#pragma once
/// Text of single instructions, for the printer and for the verifier's messages.

#include <string>
#include <vector>

#include "ir/ir.h"

namespace strc::ir::detail {

/// Names of the variables, functions and streams that a body's instructions refer to, as they stand
/// in the text: `x`, or `x#3` where several have that name, or `#3` for one without a name.
struct Names {
    std::vector<std::string> locals, fields, constants, stored, globals, streams, functions,
        packages, natives;

    /// Any of the three may be null: what it would name is then called `#k`.
    Names(const Module*, const StreamCode*, const Body*);

    void enter(const Module&);
    void enter(const StreamCode*);
    void enter(const Body&);
};

/// One line, without the blocks the instruction owns.
std::string instrText(const Names&, const Body&, const Instr&);
std::string typeText(const Type*);
std::string valueText(const Value&);
/// `name`, or `#index` if there is no such entry.
std::string nameAt(const std::vector<std::string>& names, std::uint32_t index);

}  // namespace strc::ir::detail
