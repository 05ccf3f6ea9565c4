#include "sched/detail/capacity.h"

#include <algorithm>
#include <unordered_map>

#include "graph/flow.h"
#include "sched/detail/flatten.h"

namespace strc::sched {
namespace {

using graph::EdgeId;
using graph::NodeId;

/// The effect of an entry of the schedule on the items of an edge.
struct Effect {
    EdgeId edge = 0;
    std::int64_t change = 0;
    std::int64_t rise = 0;  ///< highest content in between, relative to the start
};

class Summary {
public:
    /// Executed next.
    void add(const Effect& effect) {
        auto [it, isNew] = place.try_emplace(effect.edge, effects.size());
        if (isNew) effects.push_back({effect.edge, 0, 0});
        Effect& sum = effects[it->second];
        sum.rise = std::max(sum.rise, sum.change + effect.rise);
        sum.change += effect.change;
    }
    const std::vector<Effect>& all() const { return effects; }

private:
    std::vector<Effect> effects;
    std::unordered_map<EdgeId, std::size_t> place;
};

class Meter {
public:
    Meter(const graph::Graph& graph, const graph::Repetitions& repetitions, std::uint32_t island)
        : graph(graph), flows(graph.edges.size()), known(graph.edges.size()) {
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            if (!isStaticEdge(graph, id)) continue;
            flows[id] = flowOf(graph, id);
            known[id] = repetitions.island[flows[id].from] == island;
        }
        items.assign(graph.edges.size(), 0);
        for (EdgeId id = 0; id < items.size(); ++id) {
            if (known[id]) items[id] = flows[id].initial;
        }
        highest = items;
    }

    /// The first firings of nodes with prework are leaves of the list itself.
    void play(const std::vector<Loop>& list, std::vector<std::int64_t>& fired) {
        for (const Loop& loop : list) {
            if (!loop.isLeaf()) {
                for (const Effect& effect : repeated(summarise(loop.children), loop.count)) {
                    apply(effect);
                }
                continue;
            }
            const bool first = fired[loop.node] == 0 && graph.nodes[loop.node].prework;
            if (first) firings(loop.node, 1, true, [&](const Effect& e) { apply(e); });
            const std::int64_t rest = loop.count - (first ? 1 : 0);
            if (rest > 0) firings(loop.node, rest, false, [&](const Effect& e) { apply(e); });
            fired[loop.node] += loop.count;
        }
    }

    const std::vector<std::int64_t>& result() const { return highest; }

private:
    void apply(const Effect& effect) {
        highest[effect.edge] = std::max(highest[effect.edge], items[effect.edge] + effect.rise);
        items[effect.edge] += effect.change;
    }

    template <typename Take>
    void firings(NodeId node, std::int64_t count, bool first, Take take) const {
        auto rate = [first](const graph::FlowRate& r) { return first ? r.first : r.then; };
        for (EdgeId id : graph.nodes[node].inputs) {
            if (!known[id]) continue;
            const std::int64_t made = flows[id].from == node ? rate(flows[id].push) : 0;
            const std::int64_t once = made - rate(flows[id].pop);
            take({id, count * once, std::max<std::int64_t>(count * once, 0)});
        }
        for (EdgeId id : graph.nodes[node].outputs) {
            if (!known[id] || flows[id].to == node) continue;
            take({id, count * rate(flows[id].push), count * rate(flows[id].push)});
        }
    }

    std::vector<Effect> summarise(const std::vector<Loop>& list) const {
        Summary summary;
        for (const Loop& loop : list) {
            if (loop.isLeaf()) {
                firings(loop.node, loop.count, false, [&](const Effect& e) { summary.add(e); });
                continue;
            }
            for (const Effect& effect : repeated(summarise(loop.children), loop.count)) {
                summary.add(effect);
            }
        }
        return summary.all();
    }

    /// The highest iteration is the last one or the first one.
    static std::vector<Effect> repeated(std::vector<Effect> effects, std::int64_t count) {
        for (Effect& effect : effects) {
            effect.rise += std::max<std::int64_t>(effect.change * (count - 1), 0);
            effect.change *= count;
        }
        return effects;
    }

    const graph::Graph& graph;
    std::vector<graph::Flow> flows;
    std::vector<bool> known;
    std::vector<std::int64_t> items, highest;
};

}  // namespace

std::vector<std::int64_t> capacities(const graph::Graph& graph,
                                     const graph::Repetitions& repetitions,
                                     const Schedule& schedule) {
    Meter meter(graph, repetitions, schedule.island);
    std::vector<std::int64_t> fired(graph.nodes.size());
    meter.play(schedule.init.children, fired);
    meter.play(schedule.steady.children, fired);
    return meter.result();
}

}  // namespace strc::sched
