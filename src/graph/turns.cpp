#include "graph/turns.h"

namespace strc::graph {

std::vector<std::uint64_t> turnsOf(const Graph& graph, bool isInput) {
    const EdgeId edge = isInput ? graph.input : graph.output;
    if (edge == kNone || hasTensors(graph.edges[edge])) return {};
    const Node& node = graph.nodes[isInput ? graph.edges[edge].to : graph.edges[edge].from];
    if (node.kind != (isInput ? NodeKind::RoundRobinSplitter : NodeKind::RoundRobinJoiner))
        return {};
    std::vector<std::uint64_t> turns;
    for (const std::int64_t weight : node.weights)
        if (weight > 0) turns.push_back(static_cast<std::uint64_t>(weight));
    return turns.size() > 1 ? turns : std::vector<std::uint64_t>{};
}

}  // namespace strc::graph
