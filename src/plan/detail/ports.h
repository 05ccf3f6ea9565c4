#pragma once
/// The ports of a program: its files and open ends. Private to plan.

#include <cstdint>

#include "plan/plan.h"

namespace strc::plan {

/// Fills Plan::inputs and Plan::outputs.
void findPorts(Plan&);
/// Items of the open input that the initialisation needs: afterwards as many lie there as a firing
/// looks at beyond what it takes.
std::int64_t openInitReads(const graph::Graph&, const graph::Repetitions&);

}  // namespace strc::plan
