#pragma once
/// Feedback loops in blocks: as long as the items that wait on their edges suffice, each node of a loop can do
/// the firings of many steady states at a stretch, as if it had no loop around it. Private to plan.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sched/schedule.h"

namespace strc::plan {

/// Multiples of so many firings suit vectors.
constexpr std::int64_t kWidth = 16;

/// Firings of some nodes in one steady state.
using Firings = std::map<graph::NodeId, std::int64_t>;

/// `factor` steady states of the feedback loop that consists of the nodes of `firings`: iterations of blocks in
/// which each node stands once, and what is left over. `held`: items on each edge between steady
/// states. Empty if not even two steady states fit a block.
std::vector<sched::Loop> feedbackInBlocks(const graph::Graph&, const Firings& firings,
                                          std::span<const std::int64_t> held, std::int64_t factor);

}  // namespace strc::plan
