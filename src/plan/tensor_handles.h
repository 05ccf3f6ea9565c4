#pragma once
/// Where names of tensors lie between two phases (graph::Edge::isHandle).

#include <vector>

#include "plan/plan.h"
#include "strc/symbolic.h"

namespace strc::plan {

std::vector<strc_names> handlesOf(const Plan&);

}  // namespace strc::plan
