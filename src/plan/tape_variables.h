#pragma once
/// Tapes whose items live within one iteration of a loop: code of the phase keeps these in variables, from which scalar
/// replacement makes registers, instead of in the state.

#include <map>
#include <vector>

#include "plan/plan.h"

namespace strc::plan {

/// The memory of such a tape.
struct TapeVariable {
    Position first;  ///< the first of its items
    std::int64_t items = 0;
};

/// By tape, for a loop of the phase with these steps: what firings put there is taken by later ones of the same iteration, nobody
/// else comes near it, and nothing stays there between steady states. At most `mostBytes` each.
std::map<EdgeId, TapeVariable> findTapeVariables(const Plan&, const Phase&,
                                                 const std::vector<Step>& loop,
                                                 std::int64_t mostBytes);

}  // namespace strc::plan
