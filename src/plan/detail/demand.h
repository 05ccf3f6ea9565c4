#pragma once
/// How programs with dynamic rates run. Private to plan.

#include <string>
#include <vector>

#include "plan/plan.h"

namespace strc::plan {

/// Who is asked and who is drained (language.md 13), in the order of the language. `regions`: what fires
/// together.
Demand findDemand(const elab::Elaboration&, const graph::Repetitions&, std::vector<Region> regions);

/// What is wrong with Plan::demand, one sentence for each fault: who is asked or drained too often, not at all or
/// too late.
std::vector<std::string> verifyDemand(const Plan&, const graph::Repetitions&);

}  // namespace strc::plan
