#pragma once
/// Slices of a flat phase: some of its steady states. Private to plan.

#include "plan/plan.h"

namespace strc::plan {

/// A slice of a step of a flat phase, as the body of a loop over all slices; `slices` divides its count.
Step sliceOf(const Plan&, Step, std::int64_t slices);

}  // namespace strc::plan
