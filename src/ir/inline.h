#pragma once
/// Puts the code of short functions where they are called, so that what looks at one body sees all that it does.

#include <cstddef>
#include <optional>

#include "ir/ir.h"

namespace strc::ir {

/// In a specialised body of `code`: calls of functions that are short, do not call themselves and take numbers, and return
/// nowhere inside of a loop. What is left are calls as before. How many were done.
int inlineCalls(const Module&, const StreamCode& code, Body&);

/// Calls of those functions of the filter for which `isChosen` holds, however long they are. None is left, or the one that
/// could not be replaced is returned: its function calls itself, takes or gives arrays or structures, or returns
/// inside of a loop.
using IsChosen = bool(const Body&);
std::optional<Instr> inlineChosen(const StreamCode& code, Body&, IsChosen*);

/// Makes of a work function one that does as much as so many calls of it, with variables of its own for each. False, and nothing
/// is done: it returns inside of a loop, or would be too long.
bool repeat(Body&, std::size_t times);

}  // namespace strc::ir
