#pragma once
/// Tapes whose items live within one iteration of a loop: these lie in variables of the phase, which LLVM's scalar
/// replacement keeps in registers, instead of in the state.

#include <map>
#include <vector>

#include "plan/plan.h"

namespace strc::codegen {

/// The memory of such a tape.
struct TapeVariable {
    plan::Position first;  ///< the first of its items
    std::int64_t items = 0;
};

/// By tape, for a loop of the phase with these steps: what firings put there is taken by later ones of the same iteration, nobody
/// else comes near it, and nothing stays there between steady states. At most `mostBytes` each.
std::map<graph::EdgeId, TapeVariable> findTapeVariables(const plan::Plan&, const plan::Phase&,
                                                        const std::vector<plan::Step>& loop,
                                                        std::int64_t mostBytes);

}  // namespace strc::codegen
