#pragma once
/// Explains faults of a graph in terms of the program's streams.

#include <cstdint>
#include <string>

#include "base/context.h"
#include "graph/demand.h"
#include "graph/graph.h"
#include "graph/hierarchy.h"
#include "graph/sdep.h"
#include "sched/detail/proportions.h"

namespace strc::sched {

/// The equation of `edge` contradicts those of the edges before it in the composite.
void reportInconsistent(base::Context&, const graph::Graph&, const graph::Hierarchy&,
                        const Proportions&, graph::CompositeId, graph::EdgeId edge);

/// Reports a cycle in which no filter can fire. `enqueue`: how many more items would help; 0: unknown.
void reportDeadlock(base::Context&, const graph::Graph&, graph::CompositeId loop,
                    const graph::Deadlock&, std::int64_t enqueue);

/// The guard of a message closes the cycle.
void reportLatency(base::Context&, const graph::Graph&, const graph::Guard&);

/// Bytes of an item on a tape.
std::int64_t itemSize(const graph::Edge&);

/// The tape would hold more than there may be in memory.
void reportOverflow(base::Context&, const graph::Graph&, graph::EdgeId);

/// "1 item", "2 items".
std::string itemCount(std::int64_t);

}  // namespace strc::sched
