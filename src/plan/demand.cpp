#include "plan/detail/demand.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "graph/ending.h"
#include "plan/detail/chunk.h"

namespace strc::plan {
namespace {

using graph::kNone;

bool isSink(const graph::Graph& graph, NodeId id) {
    return graph.nodes[id].outputs.empty() ||
           (graph.output != kNone && graph.edges[graph.output].from == id);
}

/// Does the node stand in a loop that nothing comes into from outside? It would never end to drain.
bool isSelfFed(const graph::Graph& graph, const graph::Node& node) {
    for (graph::CompositeId c = node.parent; c != kNone; c = graph.composites[c].parent) {
        const graph::Composite& composite = graph.composites[c];
        if (composite.kind == graph::CompositeKind::FeedbackLoop &&
            graph.nodes[composite.joiner].inputs.size() == 1)
            return true;
    }
    return false;
}

bool waitsForData(const graph::Rates& rates) { return rates.pop.dynamic || rates.peek.dynamic; }

/// In no firing is it known what it needs.
bool alwaysWaits(const graph::Node& node) {
    return waitsForData(node.work) && waitsForData(node.prework ? *node.prework : node.work);
}

/// The nodes that are drained. A region that makes its items would never end either; within one its head
/// speaks for all.
std::vector<bool> findDrained(const graph::Graph& graph, const std::vector<Region>& regions) {
    std::vector<bool> drained;
    for (const graph::Node& node : graph.nodes)
        drained.push_back(!node.inputs.empty() && !isSelfFed(graph, node) && !alwaysWaits(node));
    for (const Region& region : regions)
        for (NodeId id : region.nodes)
            if (id != region.head || region.input == kNone) drained[id] = false;
    return drained;
}

/// Many firings of a sink need nothing that comes from itself. What is undone has to be known wholly: not what filters without shapes keep, nor texts.
bool canBatch(const elab::Elaboration& program, const Demand& demand) {
    const graph::Graph& graph = program.graph;
    return graph.messages.empty() && !program.dynamicFilters &&
           std::any_of(demand.regions.begin(), demand.regions.end(),
                       [](const Region& region) { return region.scaled.iterations != 0; }) &&
           std::all_of(demand.sinks.begin(), demand.sinks.end(),
                       [&](const Demand::Sink& sink) {
                           return !isInFeedbackLoop(graph, graph.nodes[sink.node].parent);
                       }) &&
           std::none_of(graph.edges.begin(), graph.edges.end(),
                        [](const graph::Edge& edge) { return hasStrings(edge.type); });
}

std::vector<NodeId> byOrder(const graph::Graph& graph) {
    std::vector<NodeId> nodes(graph.nodes.size());
    for (NodeId id = 0; id < nodes.size(); ++id) nodes[graph.nodes[id].order] = id;
    return nodes;
}

}  // namespace

Demand findDemand(const elab::Elaboration& program, const graph::Repetitions& repetitions,
                  std::vector<Region> regions) {
    const graph::Graph& graph = program.graph;
    Demand made;
    made.regions = std::move(regions);
    std::vector<NodeId> nodes = byOrder(graph);
    std::map<std::uint32_t, std::vector<NodeId>> sinksOf;  // by island
    std::vector<std::uint32_t> islands;  // in the order of their first sinks
    for (NodeId id : nodes) {
        if (!isSink(graph, id)) continue;
        std::vector<NodeId>& sinks = sinksOf[repetitions.island[id]];
        if (sinks.empty()) islands.push_back(repetitions.island[id]);
        sinks.push_back(id);
    }
    const std::vector<bool> depends = graph::dependOnInput(graph);
    for (std::uint32_t island : islands)
        for (NodeId id : sinksOf[island])
            made.sinks.push_back({id, repetitions.steady[id], depends[id]});
    std::reverse(nodes.begin(), nodes.end());
    const std::vector<bool> isDrained = findDrained(graph, made.regions);
    for (NodeId id : nodes)
        if (isDrained[id]) made.drained.push_back(id);
    made.batches = canBatch(program, made);
    return made;
}

std::vector<std::string> verifyDemand(const Plan& plan, const graph::Repetitions& repetitions) {
    const graph::Graph& graph = plan.program->graph;
    std::vector<std::string> faults;
    std::vector<int> asked(graph.nodes.size()), drained(graph.nodes.size());
    for (const Demand::Sink& sink : plan.demand->sinks) {
        ++asked[sink.node];
        if (sink.firings != repetitions.steady[sink.node])
            faults.push_back(fmt::format("'{}' is asked for {} firings instead of {}",
                                         path(graph, sink.node), sink.firings,
                                         repetitions.steady[sink.node]));
    }
    for (std::size_t k = 0; k < plan.demand->drained.size(); ++k) {
        const NodeId id = plan.demand->drained[k];
        ++drained[id];
        if (k > 0 && graph.nodes[plan.demand->drained[k - 1]].order < graph.nodes[id].order)
            faults.push_back(fmt::format("'{}' is drained too late", path(graph, id)));
    }
    const std::vector<bool> isDrained = findDrained(graph, plan.demand->regions);
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        if (asked[id] != (isSink(graph, id) ? 1 : 0))
            faults.push_back(fmt::format("'{}' is asked {} times", path(graph, id), asked[id]));
        if (drained[id] != (isDrained[id] ? 1 : 0))
            faults.push_back(fmt::format("'{}' is drained {} times", path(graph, id), drained[id]));
    }
    return faults;
}

}  // namespace strc::plan
