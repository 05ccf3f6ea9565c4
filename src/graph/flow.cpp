#include "graph/flow.h"

#include <algorithm>

#include "base/assert.h"

namespace strc::graph {
namespace {

__extension__ using Wide = __int128;

std::int64_t saturate(Wide value) {
    return value >= kMaxCount ? kMaxCount : static_cast<std::int64_t>(value);
}

std::int64_t total(const FlowRate& rate, bool hasFirst, std::int64_t firings) {
    if (firings <= 0) return 0;
    if (!hasFirst) return saturate(Wide{firings} * rate.then);
    return saturate(rate.first + Wide{firings - 1} * rate.then);
}

}  // namespace

std::int64_t multiplyCounts(std::int64_t a, std::int64_t b) { return saturate(Wide{a} * b); }

std::int64_t addCounts(std::int64_t a, std::int64_t b) { return saturate(Wide{a} + b); }

std::int64_t Flow::produced(std::int64_t firings) const {
    return total(push, fromHasFirst, firings);
}

std::int64_t Flow::consumed(std::int64_t firings) const { return total(pop, toHasFirst, firings); }

std::int64_t Flow::needed(std::int64_t firings) const {
    if (firings <= 0) return 0;
    if (toHasFirst && firings == 1) return look.first;
    const std::int64_t last = addCounts(consumed(firings - 1), look.then);
    return toHasFirst ? std::max(look.first, last) : last;
}

std::int64_t Flow::sourceFirings(std::int64_t firings) const {
    return sourceFiringsForItems(needed(firings));
}

std::int64_t Flow::sourceFiringsForItems(std::int64_t items) const {
    if (items >= kMaxCount) return kMaxCount;
    std::int64_t missing = items - initial;
    if (missing <= 0) return 0;
    if (fromHasFirst && missing <= push.first) return 1;
    const std::int64_t before = fromHasFirst ? 1 : 0;
    if (fromHasFirst) missing -= push.first;
    if (push.then == 0) return kMaxCount;
    return before + (missing - 1) / push.then + 1;
}

std::int64_t Flow::enabled(std::int64_t firings) const {
    std::int64_t items = addCounts(initial, produced(firings));
    std::int64_t done = 0;
    if (toHasFirst) {
        if (items < look.first) return 0;
        items -= pop.first;
        done = 1;
    }
    if (items < look.then) return done;
    if (pop.then == 0) return kMaxCount;
    return addCounts(done + 1, (items - look.then) / pop.then);
}

bool Flow::isPeriodicAt(std::int64_t firings) const {
    if (firings < (toHasFirst ? 2 : 1)) return false;
    if (addCounts(consumed(firings - 1), look.then) < look.first) return false;
    return sourceFirings(firings) >= (fromHasFirst ? 2 : 1);
}

Flow flowOf(const Graph& graph, EdgeId id) {
    const Edge& edge = graph.edges[id];
    STRC_ASSERT(edge.from != kNone, "an open end has no flow");
    STRC_ASSERT(edge.to != kNone, "an open end has no flow");
    auto hasFirst = [&](NodeId node) { return graph.nodes[node].prework.has_value(); };
    Flow flow;
    flow.from = edge.from;
    flow.to = edge.to;
    flow.edge = id;
    flow.initial = static_cast<std::int64_t>(edge.initial.size());
    flow.fromHasFirst = hasFirst(edge.from);
    flow.toHasFirst = hasFirst(edge.to);
    flow.push = {pushRate(graph, id, true), pushRate(graph, id)};
    flow.pop = {popRate(graph, id, true), popRate(graph, id)};
    flow.look = {std::max(peekRate(graph, id, true), flow.pop.first),
                 std::max(peekRate(graph, id), flow.pop.then)};
    if (!flow.fromHasFirst) flow.push.first = 0;
    if (!flow.toHasFirst) flow.pop.first = flow.look.first = 0;
    return flow;
}

}  // namespace strc::graph
