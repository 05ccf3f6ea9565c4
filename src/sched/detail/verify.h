#pragma once
/// Replays a schedule on counts, independently of how it was made: every firing has its inputs
/// (peeks included), quotas are met exactly, the steady state returns every edge to where it began,
/// no edge ever holds more than its capacity and some moment holds exactly that. Up to 65,536 firings
/// are replayed one by one (then the guards of messages are checked too); longer schedules loop by
/// loop.

#include <string>
#include <vector>

#include "graph/graph.h"
#include "sched/schedule.h"

namespace strc::sched {

/// One sentence for each fault; empty: the schedule is right.
std::vector<std::string> verify(const graph::Graph&, const graph::Repetitions&, const Schedule&);

}  // namespace strc::sched
