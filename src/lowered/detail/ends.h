#pragma once
/// Tapes at the two ends of a phase that need no memory: where one filter or splitter alone takes what is read, or one filter or
/// joiner gives what is written, in order, its firings take from the input of the one filter and give to its output.

#include "lowered/detail/rates.h"
#include "plan/plan.h"

namespace strc::lowered {

/// graph::kNone: what is read, or written, lies on a tape.
struct Ends {
    graph::EdgeId in = graph::kNone, out = graph::kNone;
};

Ends findEnds(const plan::Plan&, const plan::Phase&, const RateProofs&);

}  // namespace strc::lowered
