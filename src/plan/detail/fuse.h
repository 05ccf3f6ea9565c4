#pragma once
/// Filters that have to fire one after the other, in turn instead of each at a stretch: while one waits for its
/// last result another goes on, and what they pass on stays in registers. Private to plan.

#include <vector>

#include "elab/elaborate.h"
#include "sched/schedule.h"

namespace strc::plan {

/// By node: has it a short body with state, whose firings wait for each other?
std::vector<bool> findSequential(const elab::Elaboration&);

/// Neighbours of `phase` with all their firings at a stretch, of sequential nodes, become loops in which each
/// fires as often as the rates ask for. `phase` is in an order in which items come before they are needed.
void fuse(const std::vector<bool>& sequential, sched::Loop& phase);

}  // namespace strc::plan
