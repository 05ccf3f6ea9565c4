#include "sched/detail/flatten.h"

#include "graph/flow.h"

namespace strc::sched {

using graph::EdgeId;
using graph::Graph;
using graph::kNone;
using graph::NodeId;

bool isStaticEdge(const Graph& graph, EdgeId id) {
    const graph::Edge& edge = graph.edges[id];
    return edge.from != kNone && edge.to != kNone && !isDynamic(graph, id);
}

State startOf(const Graph& graph) {
    return stateAfter(graph, std::vector<std::int64_t>(graph.nodes.size()));
}

State stateAfter(const Graph& graph, const std::vector<std::int64_t>& fired) {
    State state{fired, std::vector<std::int64_t>(graph.edges.size())};
    for (EdgeId id = 0; id < graph.edges.size(); ++id) {
        if (!isStaticEdge(graph, id)) continue;
        const graph::Flow flow = flowOf(graph, id);
        state.items[id] = graph::addCounts(flow.initial, flow.produced(fired[flow.from])) -
                          flow.consumed(fired[flow.to]);
    }
    return state;
}

Network flatten(const Graph& graph, const std::vector<NodeId>& nodes,
                const std::vector<std::int64_t>& repetitions, const State& state,
                std::vector<graph::Guard>* guards) {
    std::vector<std::uint32_t> actorOf(graph.nodes.size(), kNone);
    Network network;
    for (std::uint32_t a = 0; a < nodes.size(); ++a) {
        const graph::Node& node = graph.nodes[nodes[a]];
        actorOf[nodes[a]] = a;
        network.actors.push_back(
            {repetitions[nodes[a]], state.fired[nodes[a]], node.order, node.prework.has_value()});
    }
    for (NodeId node : nodes) {
        for (EdgeId id : graph.nodes[node].inputs) {
            if (!isStaticEdge(graph, id) || actorOf[graph.edges[id].from] == kNone) continue;
            const graph::Flow flow = flowOf(graph, id);
            network.channels.push_back({actorOf[flow.from], actorOf[flow.to], state.items[id],
                                        flow.push, flow.pop, flow.look});
        }
    }
    if (!guards) return network;
    for (graph::Guard& guard : *guards) {
        const std::uint32_t from = actorOf[guard.waitsFor()];
        const std::uint32_t to = actorOf[guard.node()];
        if (from != kNone && to != kNone) network.barriers.push_back({from, to, &guard});
    }
    return network;
}

void rename(Body& body, const std::vector<NodeId>& nodes) {
    for (Loop& loop : body) {
        if (loop.isLeaf()) {
            loop.node = nodes[loop.node];
        } else {
            rename(loop.children, nodes);
        }
    }
}

}  // namespace strc::sched
