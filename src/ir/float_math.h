#pragma once
/// Built-in functions that are computed in double although arguments and result are floats (language.md 16.1). The double is
/// never seen then, so whatever rounds to the same float will do.
/// In: a body. Out: by register, whether it is the result of such a function.

#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// Of real functions: all arguments are floats that were converted, or constants that a float holds, and all that becomes of
/// the result is a float. `arg` of a complex number is one, too.
std::vector<bool> findFloatMath(const Body&);

}  // namespace strc::ir
