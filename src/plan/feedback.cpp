#include "plan/detail/feedback.h"

#include <algorithm>
#include <optional>
#include <set>

namespace strc::plan {
namespace {

using graph::EdgeId;
using graph::kNone;
using graph::NodeId;
using sched::Loop;

class Blocks {
public:
    Blocks(const graph::Graph& program, const Firings& firingsOfOne,
           std::span<const std::int64_t> between)
        : graph(program), firings(firingsOfOne), held(between) {
        for (const auto& [node, count] : firings) {
            for (EdgeId id : graph.nodes[node].outputs) {
                if (graph.edges[id].to != kNone && firings.contains(graph.edges[id].to))
                    edges.push_back(id);
            }
        }
    }

    /// The most steady states, up to `most`, that a block can have; it can have all smaller numbers.
    std::int64_t largest(std::int64_t most) const {
        std::int64_t fits = 1;
        while (fits < most) {
            const std::int64_t next = fits + (most - fits + 1) / 2;
            if (order(next))
                fits = next;
            else
                most = next - 1;
        }
        return fits > kWidth ? fits - fits % kWidth : fits;
    }

    std::vector<Loop> block(std::int64_t states) const {
        std::vector<Loop> leaves;
        const std::vector<NodeId> nodes = order(states).value();
        for (NodeId node : nodes) {
            Loop leaf;
            leaf.node = node;
            leaf.count = firings.at(node) * states;
            leaves.push_back(std::move(leaf));
        }
        return leaves;
    }

private:
    /// Do the items that are there suffice for all firings of the reader?
    bool isFree(EdgeId id, std::int64_t states) const {
        const std::int64_t pop = popRate(graph, id);
        const std::int64_t count = firings.at(graph.edges[id].to) * states;
        return held[id] >= (count - 1) * pop + std::max(pop, peekRate(graph, id));
    }

    /// Each node after those whose items it needs; none if they wait for each other.
    std::optional<std::vector<NodeId>> order(std::int64_t states) const {
        std::map<NodeId, std::vector<NodeId>> after;
        std::map<NodeId, int> waitsFor;
        for (EdgeId id : edges) {
            if (isFree(id, states)) continue;
            after[graph.edges[id].from].push_back(graph.edges[id].to);
            ++waitsFor[graph.edges[id].to];
        }
        std::set<NodeId> ready;
        for (const auto& [node, count] : firings)
            if (waitsFor[node] == 0) ready.insert(node);
        std::vector<NodeId> made;
        while (!ready.empty()) {
            const NodeId node = *ready.begin();
            ready.erase(ready.begin());
            made.push_back(node);
            for (NodeId next : after[node])
                if (--waitsFor[next] == 0) ready.insert(next);
        }
        if (made.size() != firings.size()) return std::nullopt;
        return made;
    }

    const graph::Graph& graph;
    const Firings& firings;
    std::span<const std::int64_t> held;
    std::vector<EdgeId> edges;  ///< inside
};

}  // namespace

std::vector<Loop> feedbackInBlocks(const graph::Graph& graph, const Firings& firings,
                                   std::span<const std::int64_t> held, std::int64_t factor) {
    const Blocks blocks(graph, firings, held);
    const std::int64_t states = blocks.largest(factor);
    if (states < 2) return {};
    std::vector<Loop> made;
    Loop repeated;
    repeated.count = factor / states;
    repeated.children = blocks.block(states);
    made.push_back(std::move(repeated));
    if (factor % states != 0) {
        for (Loop& leaf : blocks.block(factor % states)) made.push_back(std::move(leaf));
    }
    return made;
}

}  // namespace strc::plan
