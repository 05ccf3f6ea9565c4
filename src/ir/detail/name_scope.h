#pragma once
/// Names that instructions of the IR's text may use, with what they stand for.

#include <map>
#include <string>
#include <vector>

#include "ir/detail/instr_text.h"

namespace strc::ir::detail {

using NameIndex = std::map<std::string, std::uint32_t>;
NameIndex indexOf(const std::vector<std::string>& names);

struct NameScope {
    NameIndex locals, fields, constants, stored, globals, natives;
    /// Streams and functions may stand before what they name: an instruction has the index of its note
    /// until that is known.
    std::vector<std::string> notes;

    void enter(const Module&);
    /// `stream`: whose body it is, or null.
    void enter(const StreamCode* stream, const Body&);
    std::uint32_t note(std::string name);
};

}  // namespace strc::ir::detail
