#pragma once
/// Tapes at the two ends of a phase that need no memory: what lies there lies in the window of the one filter's firing already, or
/// shall lie in what it gives (`addr input`, `addr output`).

#include <cstdint>
#include <span>

#include "plan/plan.h"

namespace strc::lowered {

/// A tape on which nothing stays between phases, and to which, or from which, one step of a phase brings all items. What is read is
/// only looked at, and what is written only made.
struct End {
    graph::EdgeId tape = graph::kNone;  ///< graph::kNone: there is none like that
    std::int64_t first = 0;  ///< where on the tape the first of its items lies
    std::int64_t items = 0;
};

struct Ends {
    End in, out;
};

/// Of a phase with these steps.
Ends findEnds(const plan::Plan&, std::span<const plan::Step>);

/// Does a firing among the steps, in loops too, take items from the tape or give items to it, or are items moved on it?
bool touches(const plan::Plan&, std::span<const plan::Step>, graph::EdgeId tape);

}  // namespace strc::lowered
