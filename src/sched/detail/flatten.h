#pragma once
/// Nodes and edges of the graph as a network that can be simulated.

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "sched/detail/simulate.h"

namespace strc::sched {

/// Where a phase starts: firings done and items held.
struct State {
    std::vector<std::int64_t> fired;  ///< by NodeId
    std::vector<std::int64_t> items;  ///< by EdgeId; of static edges
};

State startOf(const graph::Graph&);
/// After these firings of every node, counted from the start.
State stateAfter(const graph::Graph&, const std::vector<std::int64_t>& fired);

bool isStaticEdge(const graph::Graph&, graph::EdgeId);

/// The nodes, `repetitions` firings each (by NodeId), and the static edges between them; actor i is
/// nodes[i].
Network flatten(const graph::Graph&, const std::vector<graph::NodeId>& nodes,
                const std::vector<std::int64_t>& repetitions, const State&,
                std::vector<graph::Guard>* guards = nullptr);

/// Leaves of actors become leaves of nodes.
void rename(Body&, const std::vector<graph::NodeId>& nodes);

}  // namespace strc::sched
