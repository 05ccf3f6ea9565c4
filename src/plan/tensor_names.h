#pragma once
/// Where names of tensors lie between two phases (graph::Edge::isNamed).

#include <vector>

#include "plan/plan.h"
#include "strc/symbolic.h"

namespace strc::plan {

std::vector<strc_names> namesOf(const Plan&);

}  // namespace strc::plan
