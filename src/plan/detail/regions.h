#pragma once
/// Static parts of programs with dynamic rates. Private to plan.

#include <vector>

#include "plan/plan.h"

namespace strc::plan {

/// None where somebody could see that they fire together. Regions as large as they can be, and the room that their channels
/// need in Plan::channels.
std::vector<Region> findRegions(base::Context&, Plan&, const graph::Repetitions&, const Options&);

/// The phases of a region, and the room for its channels. False: it has no room beside another region, or its schedule would be
/// too long or too large.
bool planRegion(base::Context&, Plan&, Region&, const graph::Repetitions& program, const Options&);

/// How often nodes fire for one firing of the head; 0 for those of others.
graph::Repetitions repetitionsOf(const Region&, const graph::Repetitions& program);

}  // namespace strc::plan
