#pragma once
/// Static parts of programs with dynamic rates. Private to plan.

#include <vector>

#include "plan/plan.h"

namespace strc::plan {

/// None where somebody could see that they fire together. Regions as large as they can be, and the room that their channels need in Plan::channels.
std::vector<Region> findRegions(Plan&, const graph::Repetitions&);

}  // namespace strc::plan
