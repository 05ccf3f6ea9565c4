#include "plan/batching.h"

#include <algorithm>

namespace strc::plan {
namespace {

using graph::kNone;

/// Nodes that are in one static part with a sink: their steady state is the iteration.
std::vector<bool> withSinks(const graph::Graph& graph, const Demand& demand) {
    std::vector<bool> found(graph.nodes.size());
    std::vector<NodeId> pending;
    for (const Demand::Sink& sink : demand.sinks) pending.push_back(sink.node);
    while (!pending.empty()) {
        const NodeId id = pending.back();
        pending.pop_back();
        if (found[id]) continue;
        found[id] = true;
        for (const auto* edges : {&graph.nodes[id].inputs, &graph.nodes[id].outputs})
            for (const EdgeId edge : *edges) {
                if (isDynamic(graph, edge)) continue;
                const graph::Edge& each = graph.edges[edge];
                for (const NodeId end : {each.from, each.to})
                    if (end != kNone) pending.push_back(end);
            }
    }
    return found;
}

/// May more items come to the edge than its reader waits for, which it could then use in the same iteration?
bool mayBringMore(const graph::Graph& graph, EdgeId id) {
    const graph::Edge& edge = graph.edges[id];
    if (edge.from == kNone || !isDynamic(graph, id)) return false;
    const graph::Rates& reader = graph.nodes[edge.to].work;
    if (reader.pop.dynamic || reader.peek.dynamic) return false;  // it is not drained
    const graph::Node& writer = graph.nodes[edge.from];
    return writer.work.push.dynamic || writer.prework || pushRate(graph, id) != 1;
}

}  // namespace

strc_batching batchingOf(const Plan& plan) {
    if (!plan.demand->batches) return STRC_BATCHING_NEVER;
    const graph::Graph& graph = plan.program->graph;
    const std::vector<bool> isWithSink = withSinks(graph, *plan.demand);
    bool mayDrain = false;
    for (EdgeId id = 0; id < graph.edges.size(); ++id)
        mayDrain |= graph.edges[id].to != kNone && isWithSink[graph.edges[id].to] &&
                    mayBringMore(graph, id);
    if (!mayDrain) return STRC_BATCHING_ALWAYS;
    // How far one sink is when another one comes to an end would be something else, too.
    return plan.demand->sinks.size() > 1 ? STRC_BATCHING_NEVER : STRC_BATCHING_UNCOUNTED;
}

}  // namespace strc::plan
