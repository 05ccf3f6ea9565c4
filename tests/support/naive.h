#pragma once
/// The reference algorithm of language.md 12.7 to the letter: one firing at a time, recursive. For
/// small graphs only; shares nothing with src/ but the rates.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace strc::testing {

class Naive {
public:
    explicit Naive(const graph::Graph& graph)
        : graph(graph), fired(graph.nodes.size()), items(graph.edges.size()), busy(fired.size()) {
        for (graph::EdgeId id = 0; id < items.size(); ++id) {
            items[id] = static_cast<std::int64_t>(graph.edges[id].initial.size());
        }
    }

    std::int64_t need(graph::EdgeId id) const {
        const graph::NodeId to = graph.edges[id].to;
        const bool first = fired[to] == 0;
        return std::max(peekRate(graph, id, first), popRate(graph, id, first));
    }

    bool canFire(graph::NodeId node) const {
        return std::all_of(graph.nodes[node].inputs.begin(), graph.nodes[node].inputs.end(),
                           [&](graph::EdgeId id) { return isOpen(id) || items[id] >= need(id); });
    }

    void fire(graph::NodeId node) {
        const bool first = fired[node] == 0;
        for (graph::EdgeId id : graph.nodes[node].inputs) {
            if (!isOpen(id)) items[id] -= popRate(graph, id, first);
        }
        for (graph::EdgeId id : graph.nodes[node].outputs) {
            if (!isOpen(id)) items[id] += pushRate(graph, id, first);
        }
        ++fired[node];
        ++firings;
    }

    /// False: deadlock.
    bool demand(graph::NodeId node) {
        if (busy[node]) return false;
        busy[node] = true;
        for (graph::EdgeId id : graph.nodes[node].inputs) {
            if (isOpen(id)) continue;
            while (items[id] < need(id)) {
                if (!demand(graph.edges[id].from)) return false;
            }
        }
        busy[node] = false;
        fire(node);
        return true;
    }

    bool initialise() {
        std::vector<graph::NodeId> order = downstreamFirst();
        for (graph::NodeId node : order) {
            if (graph.nodes[node].prework && fired[node] == 0 && !demand(node)) return false;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (graph::EdgeId id = 0; id < items.size(); ++id) {
                if (isOpen(id)) continue;
                const std::int64_t extra =
                    std::max<std::int64_t>(peekRate(graph, id) - popRate(graph, id), 0);
                while (items[id] < extra) {
                    changed = true;
                    if (firings > kMostFirings || !demand(graph.edges[id].from)) return false;
                }
            }
        }
        return true;
    }

    /// Data driven, most downstream first; false: a target is missed.
    bool steady(const std::vector<std::int64_t>& repetitions,
                std::vector<graph::NodeId>* sequence = nullptr) {
        std::vector<std::int64_t> target = fired;
        for (std::size_t i = 0; i < target.size(); ++i) target[i] += repetitions[i];
        return driveTo(target, sequence);
    }

    bool driveTo(const std::vector<std::int64_t>& target,
                 std::vector<graph::NodeId>* sequence = nullptr) {
        const std::vector<graph::NodeId> order = downstreamFirst();
        for (bool changed = true; changed;) {
            changed = false;
            for (graph::NodeId node : order) {
                if (fired[node] >= target[node] || !canFire(node)) continue;
                fire(node);
                if (sequence) sequence->push_back(node);
                changed = true;
                break;
            }
        }
        return fired == target;
    }

    std::vector<graph::NodeId> downstreamFirst() const {
        std::vector<graph::NodeId> order(graph.nodes.size());
        for (graph::NodeId id = 0; id < order.size(); ++id) order[id] = id;
        std::sort(order.begin(), order.end(), [&](graph::NodeId a, graph::NodeId b) {
            return graph.nodes[a].order > graph.nodes[b].order;
        });
        return order;
    }

    bool isOpen(graph::EdgeId id) const {
        return graph.edges[id].from == graph::kNone || graph.edges[id].to == graph::kNone ||
               isDynamic(graph, id);
    }

    static constexpr std::int64_t kMostFirings = 2'000'000;
    const graph::Graph& graph;
    std::vector<std::int64_t> fired, items;
    std::vector<bool> busy;
    std::int64_t firings = 0;
};

}  // namespace strc::testing
