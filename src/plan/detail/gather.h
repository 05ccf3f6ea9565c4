#pragma once
/// Readers of one tape beside each other, so that they find its items near, and can take windows that were transposed
/// for all of them. Private to plan.

#include <vector>

#include "plan/detail/share.h"
#include "sched/schedule.h"

namespace strc::plan {

/// Of `phase`, in which items come before they are needed: filters with one input, not `sequential`, that take
/// several items a firing move up to the first one that takes as many from the same tape as often. Nothing moves
/// past what writes there, or past loops.
void gatherReaders(const graph::Graph&, const Sharing&, const std::vector<bool>& sequential,
                   sched::Loop& phase);

}  // namespace strc::plan
