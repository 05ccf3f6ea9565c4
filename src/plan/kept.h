#pragma once
/// What a state has to hold between two phases: all that one leaves to the next.

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace strc::plan {

struct Kept {
    std::int64_t at = 0, size = 0;  ///< bytes of the state
    bool operator==(const Kept&) const = default;
};

/// Fields and counters by node, then the tapes: of Linear ones the items that stay, of rings all. Nothing of mailboxes and queues, which
/// are for the runtime to know, nor of programs with a demand, which have no phases.
std::vector<Kept> keptBetweenPhases(const Plan&);

}  // namespace strc::plan
