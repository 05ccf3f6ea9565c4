#pragma once
/// The steady state as nested loops, composed along the hierarchy of streams: each composite becomes
/// a block that its parent schedules as one piece. Loops of the graph are taken apart only as far as
/// their initial items demand.

#include <optional>
#include <vector>

#include "base/context.h"
#include "graph/graph.h"
#include "sched/detail/flatten.h"
#include "sched/detail/loops.h"
#include "sched/schedule.h"

namespace strc::sched {

/// One steady state of the nodes, from the state that initialisation leaves. Empty after reporting
/// that a loop's schedule would be too long.
std::optional<Body> clusteredSteady(base::Context&, const graph::Graph&, const graph::Repetitions&,
                                    const std::vector<graph::NodeId>& nodes, const State&, Order);

}  // namespace strc::sched
