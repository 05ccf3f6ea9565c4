#pragma once
/// From a loop tree to steps with positions. Private to plan.
///
/// Everything that is passed between the two ends of an edge lies in a line; what keeps the line short
/// are resets, after which the items that are left begin again where the iteration of the loop began:
/// - where nothing is left, a reset costs nothing and is always made;
/// - at the end of a loop's iteration, if no more items are left than have passed since the last reset;
/// - otherwise positions go on from iteration to iteration, and the next loop outside decides again. A loop
///   in which that would take much memory is cut into blocks that pass as much as is left.
/// So Moves cost at most about one item for each item that passes, and at the end of a phase one more
/// for each that stays.

#include <cstdint>
#include <vector>

#include "plan/detail/share.h"
#include "plan/plan.h"
#include "sched/schedule.h"

namespace strc::plan {

struct Placed {
    std::vector<Step> steps;
    /// By EdgeId: items that each reader has before it afterwards; on a tape, before the slowest.
    std::vector<std::int64_t> held;
    std::vector<std::int64_t> capacity;  ///< items that each tape needs in this phase, by EdgeId
};

/// What a phase begins with.
struct Begin {
    std::vector<std::int64_t> held;  ///< as Placed::held; of a fresh start, the enqueued items
    std::int64_t reads = 0;  ///< items of the open input, which are read first
    bool fresh = false;  ///< nothing has fired yet: first firings are preworks
    const Sharing* sharing = nullptr;  ///< none: every edge is a tape of its own
};

Placed place(const graph::Graph&, const sched::Loop& phase, Begin);

/// Bytes of an item.
std::int64_t itemSize(const graph::Graph&, EdgeId);

}  // namespace strc::plan
