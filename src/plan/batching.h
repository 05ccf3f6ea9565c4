#pragma once
/// When several iterations of a program with dynamic rates may be done as one.

#include "plan/plan.h"
#include "strc/batching.h"

namespace strc::plan {

/// Of a program with a demand.
strc_batching batchingOf(const Plan&);

}  // namespace strc::plan
