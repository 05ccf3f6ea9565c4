#include "graph/ending.h"

#include <algorithm>

#include "graph/flow.h"

namespace strc::graph {
namespace {

std::vector<NodeId> inOrder(const Graph& graph) {
    std::vector<NodeId> nodes(graph.nodes.size());
    for (NodeId id = 0; id < nodes.size(); ++id) nodes[graph.nodes[id].order] = id;
    return nodes;
}

/// Does it lead back to the joiner of a feedback loop?
bool leadsBack(const Graph& graph, const Edge& edge) {
    return edge.from != kNone && edge.to != kNone &&
           graph.nodes[edge.from].order >= graph.nodes[edge.to].order;
}

bool isReader(const Node& node) { return node.inputs.empty() && !node.file.empty(); }

std::vector<Flow> flowsOf(const Graph& graph) {
    std::vector<Flow> flows;
    for (EdgeId id = 0; id < graph.edges.size(); ++id)
        if (graph.edges[id].from != kNone && graph.edges[id].to != kNone)
            flows.push_back(flowOf(graph, id));
    return flows;
}

/// Firings that take at least one of the first `items` items; the open input has no Flow.
std::int64_t firingsFor(const Graph& graph, EdgeId edge, std::int64_t items) {
    const bool hasFirst = graph.nodes[graph.edges[edge].to].prework.has_value();
    const std::int64_t first = hasFirst ? popRate(graph, edge, true) : 0,
                       then = popRate(graph, edge);
    if (items <= 0) return 0;
    if (hasFirst && items <= first) return 1;
    if (then == 0) return hasFirst ? 1 : 0;
    return (hasFirst ? 1 : 0) + (items - first - 1) / then + 1;
}

/// Most firings that so many items at the open input allow.
std::int64_t enabledAtInput(const Graph& graph, std::int64_t items) {
    const NodeId to = graph.edges[graph.input].to;
    std::int64_t done = 0;
    if (graph.nodes[to].prework) {
        const std::int64_t pop = popRate(graph, graph.input, true);
        if (items < std::max(pop, peekRate(graph, graph.input, true))) return 0;
        items -= pop;
        done = 1;
    }
    const std::int64_t pop = popRate(graph, graph.input);
    const std::int64_t look = std::max(pop, peekRate(graph, graph.input));
    if (pop == 0) return kMaxCount;
    return items < look ? done : done + (items - look) / pop + 1;
}

std::vector<bool> dependingOnInput(const Graph& graph) {
    std::vector<bool> depends(graph.nodes.size());
    for (NodeId id : inOrder(graph)) {
        const Node& node = graph.nodes[id];
        depends[id] =
            isReader(node) || std::any_of(node.inputs.begin(), node.inputs.end(), [&](EdgeId edge) {
                const NodeId from = graph.edges[edge].from;
                return from == kNone || depends[from];
            });
    }
    return depends;
}

}  // namespace

Waiting itemsWaiting(const Graph& graph, const std::vector<std::int64_t>& fired) {
    Waiting waiting;
    std::int64_t most = 0;
    for (const Flow& flow : flowsOf(graph)) {
        if (leadsBack(graph, graph.edges[flow.edge])) continue;
        const std::int64_t items = flow.initial + flow.produced(fired[flow.from]) -
                                   flow.consumed(fired[flow.to]) - flow.extra();
        if (items <= 0) continue;
        waiting.items = addCounts(waiting.items, items);
        if (items > most) waiting.most = flow.to;
        most = std::max(most, items);
    }
    return waiting;
}

std::int64_t itemsNeeded(const Graph& graph, EdgeId input, std::int64_t firings) {
    if (firings <= 0) return 0;
    const bool hasFirst = graph.nodes[graph.edges[input].to].prework.has_value();
    const std::int64_t pop = popRate(graph, input), look = std::max(pop, peekRate(graph, input));
    const std::int64_t pops = hasFirst ? popRate(graph, input, true) : pop;
    const std::int64_t looks = hasFirst ? std::max(pops, peekRate(graph, input, true)) : look;
    if (firings == 1) return looks;
    const std::int64_t last = addCounts(pops, multiplyCounts(firings - 2, pop));
    return std::max(looks, addCounts(last, look));
}

std::int64_t itemsGiven(const Graph& graph, EdgeId output, std::int64_t firings) {
    if (firings <= 0) return 0;
    const bool hasFirst = graph.nodes[graph.edges[output].from].prework.has_value();
    const std::int64_t push = pushRate(graph, output);
    const std::int64_t first = hasFirst ? pushRate(graph, output, true) : push;
    return addCounts(first, multiplyCounts(firings - 1, push));
}

std::int64_t steadyReads(const Graph& graph, const Quota& quota, NodeId source) {
    if (source != kNone) return quota.steady[source];
    return multiplyCounts(quota.steady[graph.edges[graph.input].to], popRate(graph, graph.input));
}

/// After initialisation and one steady state: later it is the same.
std::int64_t statesToFlush(const Graph& graph, const Quota& quota) {
    std::vector<std::int64_t> real(graph.nodes.size());  // firings that depend on an item
    std::int64_t states = 0;
    for (NodeId id : inOrder(graph)) {
        const Node& node = graph.nodes[id];
        const std::int64_t done = addCounts(quota.init[id], quota.steady[id]);
        if (isReader(node)) real[id] = done;
        for (EdgeId edge : node.inputs) {
            std::int64_t items = 0;
            if (graph.edges[edge].from == kNone)
                items = itemsNeeded(graph, edge, done);
            else if (!leadsBack(graph, graph.edges[edge])) {
                const Flow flow = flowOf(graph, edge);
                if (real[flow.from] > 0)
                    items = addCounts(flow.initial, flow.produced(real[flow.from]));
            }
            real[id] = std::max(real[id], firingsFor(graph, edge, items));
        }
        if (quota.steady[id] > 0 && real[id] > done)
            states = std::max(states, (real[id] - done - 1) / quota.steady[id] + 1);
    }
    return states;
}

std::vector<std::int64_t> firingsToDrain(const Graph& graph, const std::vector<std::int64_t>& fired,
                                         std::vector<std::int64_t> most, std::int64_t openItems) {
    const std::vector<Flow> flows = flowsOf(graph);
    const std::vector<bool> depends = dependingOnInput(graph);
    if (graph.input != kNone) {
        std::int64_t& first = most[graph.edges[graph.input].to];
        first = std::min(first, enabledAtInput(graph, openItems));
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const Flow& flow : flows) {
            const std::int64_t enabled = flow.enabled(most[flow.from]);
            if (enabled >= most[flow.to]) continue;
            most[flow.to] = enabled;
            changed = true;
        }
    }
    std::vector<std::int64_t> wanted = fired;
    for (NodeId id = 0; id < wanted.size(); ++id) {
        const Node& node = graph.nodes[id];
        const bool isEnd = node.outputs.empty() || node.effects != kNoEffect ||
                           (graph.output != kNone && graph.edges[graph.output].from == id);
        if (isEnd && depends[id]) wanted[id] = std::max(wanted[id], most[id]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const Flow& flow : flows) {
            const std::int64_t needed = flow.sourceFirings(wanted[flow.to]);
            if (needed <= wanted[flow.from]) continue;
            wanted[flow.from] = needed;
            changed = true;
        }
    }
    return wanted;
}

}  // namespace strc::graph
