#pragma once
/// The pass `arena`: large tapes that never hold items at the same time lie in the same memory. Private to plan.
/// A tape on which nothing stays between steady states is in use from the first step of a phase that touches it to the
/// last one. Tapes are placed one after the other, the largest first, each into the smallest gap between those that are
/// in use together with it (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020,
/// "greedy by size"; it is offline dynamic storage allocation by best fit).

#include <array>
#include <vector>

#include "plan/plan.h"

namespace strc::plan {

/// Steps of the outermost list of a phase; empty: none touches the tape.
struct Interval {
    std::int64_t first = 0, last = -1;
    bool isEmpty() const { return last < first; }
};

/// When a tape is in use: in `init`, `steady`, `scaled`, a chunk, and the phase that threads of a library share.
struct LiveRange {
    std::array<Interval, 5> phases;
    bool overlaps(const LiveRange&) const;
};

/// By EdgeId, of tapes; of other edges that of their tape.
std::vector<LiveRange> liveRanges(const Plan&);

/// Does nothing stay on the tape between phases, and is it large enough to be worth a place of its own choice?
bool canShare(const Plan&, EdgeId);

/// Gives those tapes their offsets, from `begin` on, which is aligned. The end.
std::int64_t placeShared(Plan&, std::int64_t begin);

}  // namespace strc::plan
