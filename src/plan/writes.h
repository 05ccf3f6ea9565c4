#pragma once
/// Items that steps of a plan write to the open output.

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace strc::plan {

std::int64_t itemsWritten(const std::vector<Step>&);

}  // namespace strc::plan
