#pragma once
/// How a program meets the world: its files and open ends. Private to plan.

#include <cstdint>

#include "plan/plan.h"

namespace strc::plan {

/// Fills Plan::inputs and Plan::outputs.
void findWorld(Plan&);
/// Items of the open input that the initialisation needs: afterwards as many lie there as a firing
/// looks at beyond what it takes.
std::int64_t openInitReads(const graph::Graph&, const graph::Quota&);

}  // namespace strc::plan
