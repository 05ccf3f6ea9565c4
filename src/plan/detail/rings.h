#pragma once
/// From a loop tree to steps without positions: ring buffers have cursors. Private to plan.

#include <cstdint>
#include <vector>

#include "plan/detail/place.h"
#include "sched/schedule.h"

namespace strc::plan {

/// As `place` does; capacities are those of the schedule, and of what the open ends read and write at
/// once, not yet powers of two.
Placed placeInRings(const graph::Graph&, const sched::Loop& phase,
                    const std::vector<std::int64_t>& capacity, Begin);

/// The least power of two that is not less; at least 1.
std::int64_t ringCapacity(std::int64_t items);

}  // namespace strc::plan
