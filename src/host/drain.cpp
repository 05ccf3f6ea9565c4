#include "host/drain.h"

#include <algorithm>

#include "graph/ending.h"
#include "graph/flow.h"

namespace strc::host {
namespace {

using graph::NodeId;

/// The only one that reads a file, or writes one.
NodeId fileNode(const graph::Graph& graph, bool reads) {
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        if (!node.file.empty() && (reads ? node.inputs : node.outputs).empty()) return id;
    }
    return graph::kNone;
}

std::int64_t usedOf(const graph::Graph& graph, const std::vector<std::int64_t>& fired,
                    std::int64_t given, std::int64_t all) {
    if (graph.input == graph::kNone) return fired[fileNode(graph, true)];
    const std::int64_t needed =
        graph::itemsNeeded(graph, graph.input, fired[graph.edges[graph.input].to]);
    return std::max(given, std::min(needed, all));
}

std::int64_t writtenOf(const graph::Graph& graph, const std::vector<std::int64_t>& fired) {
    if (graph.output == graph::kNone) return fired[fileNode(graph, false)];
    return graph::itemsGiven(graph, graph.output, fired[graph.edges[graph.output].from]);
}

}  // namespace

std::int64_t zerosToDrain(const plan::Plan& plan, const graph::Graph& graph,
                          const graph::Quota& quota) {
    const std::int64_t states = graph::statesToFlush(graph, quota) + 1;
    return graph::addCounts(plan.init.reads[0],
                            graph::multiplyCounts(states, plan.steady.reads[0]));
}

Drained findDrained(const plan::Plan& plan, const graph::Graph& graph, const graph::Quota& quota,
                    io::Supply& input) {
    Drained result;
    const auto given = static_cast<std::int64_t>(input.given());
    const std::int64_t all = input.inAll(0) ? static_cast<std::int64_t>(*input.inAll(0)) : given;
    const bool begun = given >= plan.init.reads[0] && (given > 0 || plan.init.reads[0] == 0);
    if (begun) result.iterations = (given - plan.init.reads[0]) / plan.steady.reads[0];
    const std::int64_t states = graph::statesToFlush(graph, quota) + 1 + result.iterations;
    std::vector<std::int64_t> fired, most;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        auto after = [&](std::int64_t count) {
            return graph::addCounts(quota.init[id], graph::multiplyCounts(quota.steady[id], count));
        };
        fired.push_back(begun ? after(result.iterations) : 0);
        most.push_back(after(states));
    }
    if (graph.input == graph::kNone) {
        std::int64_t& reader = most[fileNode(graph, true)];
        reader = std::min(reader, all);
    }
    result.fired = graph::firingsToDrain(graph, fired, std::move(most), all);
    result.used = usedOf(graph, result.fired, given, all);
    result.written = writtenOf(graph, result.fired);
    return result;
}

}  // namespace strc::host
