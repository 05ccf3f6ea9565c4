#pragma once
/// The most items each edge ever holds.

#include <vector>

#include "graph/graph.h"
#include "sched/schedule.h"

namespace strc::sched {

/// By EdgeId, of the edges inside the schedule's island. Each loop is summed up once: what it adds to
/// an edge per iteration and how far it rises in between; both are linear in the iteration.
std::vector<std::int64_t> capacities(const graph::Graph&, const graph::Repetitions&,
                                     const Schedule&);

}  // namespace strc::sched
