#pragma once
/// Built-in functions that are computed in double although arguments and result are floats (language.md 16.1). The double is
/// never seen then, so whatever rounds to the same float will do.
/// In: a body. Out: by register, whether it is the result of such a function.
/// Inside of operators on tensors an `add` or a function may be *relaxed* (Instr::flag): the add is one of a sum in any order,
/// the function may be a few units in the last place of the float away.

#include <map>
#include <set>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// By register: is it the result of a real function whose arguments are converted floats, or constants that a float holds, and
/// is it used only as a float? `arg` of a complex number counts as a real function.
std::vector<bool> findFloatMath(const Body&);

/// 1 / (1 + exp(-x)), or x times that, of a float, computed in double and rounded once.
struct Sigmoid {
    Reg x = kNone;  ///< the float
    bool isTimesX = false;
    bool isRelaxed = false;  ///< as its exponential
};
/// By the register that has the rounded value.
std::map<Reg, Sigmoid> findSigmoids(const Body&);

/// Built-in functions in loops that have neither tapes nor calls nor loops inside.
std::set<const Instr*> findLoopMath(const Body&);

}  // namespace strc::ir
