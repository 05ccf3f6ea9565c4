#pragma once
/// Checks of partitions that need no replay: that each filter belongs to one of them, that those which change what others find are
/// in order, and that channels are of the kind that their ends allow. Private to plan.

#include "plan/detail/verify_faults.h"
#include "plan/plan.h"

namespace strc::plan {

void checkPartitions(const Plan&, VerifyFaults&);

}  // namespace strc::plan
