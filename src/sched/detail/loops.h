#pragma once
/// Building loop trees.

#include <cstdint>
#include <vector>

#include "sched/schedule.h"

namespace strc::sched {

using Body = std::vector<Loop>;

Loop leaf(graph::NodeId node, std::int64_t count);
/// Adds `count` executions of the body, without a loop of one iteration or around a single entry.
void appendTimes(Body& to, Body body, std::int64_t count);
/// Leaves in all.
std::int64_t leaves(const Body&);
/// Replaces each leaf of `shape` by the body that its node stands for.
Body substitute(const Body& shape, const std::vector<const Body*>& bodies);

}  // namespace strc::sched
