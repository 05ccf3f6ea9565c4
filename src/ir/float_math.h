#pragma once
/// Built-in functions that are computed in double although arguments and result are floats (language.md 16.1). The double is
/// never seen then, so whatever rounds to the same float will do.
/// In: a body. Out: by register, whether it is the result of such a function.

#include <map>
#include <set>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// Of real functions: all arguments are floats that were converted, or constants that a float holds, and all that becomes of
/// the result is a float. `arg` of a complex number is one, too.
std::vector<bool> findFloatMath(const Body&);

/// 1 / (1 + exp(-x)), or x times that, of a float, computed in double and rounded once.
struct Sigmoid {
    Reg x = kNone;  ///< the float
    bool isTimesX = false;
};
/// By the register that has the rounded value.
std::map<Reg, Sigmoid> findSigmoids(const Body&);

/// Built-in functions in loops that have neither tapes nor calls nor loops inside.
std::set<const Instr*> findLoopMath(const Body&);

}  // namespace strc::ir
