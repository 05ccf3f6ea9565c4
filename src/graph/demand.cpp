#include "graph/demand.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "graph/sdep.h"

namespace strc::graph {

Demand::Demand(const Graph& graph, std::vector<Guard>* guards)
    : Demand(
          graph,
          [&] {
              std::vector<NodeId> all(graph.nodes.size());
              std::iota(all.begin(), all.end(), 0);
              return all;
          }(),
          guards) {}

Demand::Demand(const Graph& graph, std::vector<NodeId> only, std::vector<Guard>* guards)
    : nodes(std::move(only)), indexOf(graph.nodes.size(), kNone), guards(guards) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) indexOf[nodes[i]] = i;
    for (NodeId node : nodes) hasFirst.push_back(graph.nodes[node].prework.has_value());
    connect(graph);
    std::vector<Arrow> arrows;
    arrows.reserve(ways.size());
    for (const Way& way : ways) arrows.push_back({way.from, way.to});
    parts = findComponents(static_cast<std::uint32_t>(nodes.size()), arrows);
}

void Demand::connect(const Graph& graph) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        waysStart.push_back(static_cast<std::uint32_t>(ways.size()));
        for (EdgeId id : graph.nodes[nodes[i]].inputs) {
            NodeId from = graph.edges[id].from;
            if (from == kNone || indexOf[from] == kNone || isDynamic(graph, id)) continue;
            ways.push_back({indexOf[from], i, static_cast<std::uint32_t>(flows.size()), kNone});
            flows.push_back(flowOf(graph, id));
        }
    }
    if (guards) {
        for (std::uint32_t g = 0; g < guards->size(); ++g) {
            const Guard& guard = (*guards)[g];
            std::uint32_t from = indexOf[guard.waitsFor()];
            std::uint32_t to = indexOf[guard.node()];
            if (from != kNone && to != kNone) ways.push_back({from, to, kNone, g});
        }
        std::stable_sort(ways.begin(), ways.end(),
                         [](const Way& a, const Way& b) { return a.to < b.to; });
        waysStart.clear();
        for (std::uint32_t i = 0, way = 0; i < nodes.size(); ++i) {
            waysStart.push_back(way);
            while (way < ways.size() && ways[way].to == i) ++way;
        }
    }
    waysStart.push_back(static_cast<std::uint32_t>(ways.size()));
}

std::int64_t Demand::required(const Way& way, std::int64_t firings) const {
    if (way.flow != kNone) return flows[way.flow].sourceFirings(firings);
    return (*guards)[way.guard].required(firings);
}

/// Most firings of the way's consumer that it allows; of a guard's, one more than `fired` at most.
std::int64_t Demand::enabled(const Way& way, std::int64_t sourceFirings, std::int64_t fired) const {
    if (way.flow != kNone) return flows[way.flow].enabled(sourceFirings);
    return (*guards)[way.guard].required(fired + 1) <= sourceFirings ? fired + 1 : fired;
}

Demand::Outcome Demand::raiseSources(std::uint32_t node, std::vector<std::int64_t>& fired,
                                     bool inside, bool& changed) const {
    for (std::uint32_t w = waysStart[node]; w < waysStart[node + 1]; ++w) {
        const Way& way = ways[w];
        if ((parts.of[way.from] == parts.of[node]) != inside) continue;
        const std::int64_t least = required(way, fired[node]);
        if (least <= fired[way.from]) continue;
        if (way.from == node) return Outcome::Deadlock;
        if (least >= kMaxCount) return Outcome::Overflow;
        fired[way.from] = least;
        changed = true;
    }
    return Outcome::Done;
}

/// In a loop that does not deadlock, going round it asks for fewer firings than one began with, so
/// the greatest demand on a node comes along a path without repetition: as in the algorithm of
/// Bellman and Ford as many rounds as there are nodes are enough.
Demand::Outcome Demand::raise(std::vector<std::int64_t>& fired) const {
    STRC_ASSERT(fired.size() == nodes.size(), "counts of another graph");
    for (std::size_t which = components(); which-- > 0;) {
        const auto inner = component(which);
        bool changed = isLoop(which);
        for (std::size_t iteration = 0; changed; ++iteration) {
            if (iteration > inner.size()) return Outcome::Deadlock;
            changed = false;
            for (std::uint32_t node : inner) {
                Outcome outcome = raiseSources(node, fired, true, changed);
                if (outcome != Outcome::Done) return outcome;
            }
        }
        for (std::uint32_t node : inner) {
            Outcome outcome = raiseSources(node, fired, false, changed);
            if (outcome != Outcome::Done) return outcome;
        }
    }
    return Outcome::Done;
}

/// Fires the nodes of one component on demand, as many times at once as the inputs allow.
struct Demand::Simulation {
    struct Frame {
        std::uint32_t node;
        std::int64_t target;
        std::uint32_t way;  ///< of the one below that asks for it
    };
    const Demand& demand;
    std::uint32_t component;
    std::vector<std::int64_t> fired;
    std::vector<bool> asked;
    std::vector<Frame> stack;

    /// The way that keeps the node from its next firing, or kNone; then `most` firings are possible.
    std::uint32_t blockedBy(std::uint32_t node, std::int64_t& most) const {
        most = kMaxCount;
        for (std::uint32_t w = demand.waysStart[node]; w < demand.waysStart[node + 1]; ++w) {
            const Way& way = demand.ways[w];
            if (demand.parts.of[way.from] != component) continue;
            most = std::min(most, demand.enabled(way, fired[way.from], fired[node]));
            if (most <= fired[node]) return w;
        }
        return kNone;
    }

    std::optional<Deadlock> fire(std::uint32_t node, std::int64_t target,
                                 std::uint64_t& stepsLeft) {
        stack.assign(1, {node, target, kNone});
        asked[node] = true;
        while (!stack.empty()) {
            const Frame frame = stack.back();
            if (fired[frame.node] >= frame.target) {
                asked[frame.node] = false;
                stack.pop_back();
                continue;
            }
            if (stepsLeft == 0) return Deadlock{{}, true};
            --stepsLeft;
            std::int64_t most = 0;
            const std::uint32_t blocking = blockedBy(frame.node, most);
            if (blocking == kNone) {
                fired[frame.node] = std::min(most, frame.target);
                continue;
            }
            const Way& way = demand.ways[blocking];
            if (asked[way.from]) return cycleTo(way);
            asked[way.from] = true;
            stack.push_back({way.from, demand.required(way, fired[frame.node] + 1), blocking});
        }
        return std::nullopt;
    }

    Deadlock cycleTo(const Way& last) const {
        Deadlock deadlock;
        auto first = stack.rbegin();
        while (first->node != last.from) ++first;
        for (auto it = first.base(); it != stack.end(); ++it) {
            deadlock.cycle.push_back(demand.linkOf(demand.ways[it->way]));
        }
        deadlock.cycle.push_back(demand.linkOf(last));
        return deadlock;
    }
};

std::optional<Deadlock> Demand::findDeadlock(std::size_t which,
                                             const std::vector<std::int64_t>& period,
                                             std::uint64_t& stepsLeft) const {
    if (!isLoop(which)) return std::nullopt;
    const auto inner = component(which);
    Simulation simulation{*this,
                          static_cast<std::uint32_t>(which),
                          std::vector<std::int64_t>(size()),
                          std::vector<bool>(size()),
                          {}};
    // Once every node has executed its work, the counts plus one period are legal if they can be
    // reached, and the state is the same again: then the loop runs for ever.
    for (std::uint32_t node : inner) {
        auto deadlock = simulation.fire(node, hasFirst[node] ? 2 : 1, stepsLeft);
        if (deadlock) return deadlock;
    }
    std::vector<std::int64_t> target = simulation.fired;
    for (std::uint32_t node : inner) target[node] = addCounts(target[node], period[node]);
    for (std::uint32_t node : inner) {
        auto deadlock = simulation.fire(node, target[node], stepsLeft);
        if (deadlock) return deadlock;
    }
    return std::nullopt;
}

void Demand::setInitial(EdgeId edge, std::int64_t items) {
    for (Flow& flow : flows) {
        if (flow.edge == edge) flow.initial = items;
    }
}

bool Demand::isPeriodicAt(const std::vector<std::int64_t>& fired) const {
    return std::all_of(ways.begin(), ways.end(), [&](const Way& way) {
        return way.flow == kNone || flows[way.flow].isPeriodicAt(fired[way.to]);
    });
}

Link Demand::linkOf(const Way& way) const {
    return {nodes[way.from], nodes[way.to], way.flow == kNone ? kNone : flows[way.flow].edge,
            way.guard};
}

}  // namespace strc::graph
