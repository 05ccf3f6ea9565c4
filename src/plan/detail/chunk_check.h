#pragma once
/// Checks of a chunk that need no replay: whether all that its firings change is carried. Private to plan.

#include "plan/detail/verify_faults.h"
#include "plan/plan.h"

namespace strc::plan {

void checkCarries(const Plan&, VerifyFaults&);

}  // namespace strc::plan
