#pragma once
/// Puts the code of short functions where they are called, so that what looks at one body sees all that it does.

#include "ir/ir.h"

namespace strc::ir {

/// In a specialised body of `code`: calls of functions that are short, do not call themselves and take numbers, and return
/// nowhere inside of a loop. What is left are calls as before. How many were done.
int inlineCalls(const Module&, const StreamCode& code, Body&);

}  // namespace strc::ir
