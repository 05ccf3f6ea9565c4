#include "graph/sdep.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/assert.h"

namespace strc::graph {
namespace {

/// A longer table is not worth its memory: each value is computed when it is asked for.
constexpr std::int64_t kLongestTable = std::int64_t{1} << 20;

template <typename Next>
std::vector<bool> reachable(const Graph& graph, NodeId start, Next next) {
    std::vector<bool> seen(graph.nodes.size());
    std::vector<NodeId> stack{start};
    seen[start] = true;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        next(graph.nodes[node], [&](EdgeId edge, NodeId other) {
            if (other == kNone || seen[other] || isDynamic(graph, edge)) return;
            seen[other] = true;
            stack.push_back(other);
        });
    }
    return seen;
}

/// The nodes on the paths of static edges from `up` to `down`.
std::vector<NodeId> nodesBetween(const Graph& graph, NodeId up, NodeId down) {
    auto after = reachable(graph, up, [&](const Node& node, auto visit) {
        for (EdgeId edge : node.outputs) visit(edge, graph.edges[edge].to);
    });
    auto before = reachable(graph, down, [&](const Node& node, auto visit) {
        for (EdgeId edge : node.inputs) visit(edge, graph.edges[edge].from);
    });
    std::vector<NodeId> between;
    for (NodeId node = 0; node < graph.nodes.size(); ++node) {
        if (after[node] && before[node]) between.push_back(node);
    }
    return between;
}

}  // namespace

Sdep::Sdep(const Graph& graph, const Repetitions& repetitions, NodeId up, NodeId down)
    : up(up),
      down(down),
      periodUp(repetitions.steady[up]),
      periodDown(repetitions.steady[down]),
      demand(graph, nodesBetween(graph, up, down)),
      connected(demand.size() > 0) {
    if (connected) findTransient();
}

const std::vector<std::int64_t>& Sdep::countsFor(std::int64_t m) {
    counts.assign(demand.size(), 0);
    counts[demand.index(down)] = m;
    auto outcome = demand.raise(counts);
    STRC_ASSERT(outcome != Demand::Outcome::Deadlock, "SDEP of a graph that deadlocks");
    if (outcome == Demand::Outcome::Overflow) counts[demand.index(up)] = kMaxCount;
    return counts;
}

void Sdep::findTransient() {
    std::int64_t above = 1;
    while (above < kMaxCount && !demand.isPeriodicAt(countsFor(above))) above *= 2;
    std::int64_t below = above / 2;
    while (above - below > 1) {
        const std::int64_t middle = below + (above - below) / 2;
        (demand.isPeriodicAt(countsFor(middle)) ? above : below) = middle;
    }
    transient = above;
    const std::int64_t length = addCounts(transient, periodDown);
    if (length <= kLongestTable) table.assign(static_cast<std::size_t>(length), -1);
}

std::int64_t Sdep::evaluate(std::int64_t m) { return countsFor(m)[demand.index(up)]; }

std::int64_t Sdep::operator()(std::int64_t m) {
    if (m <= 0 || !connected) return 0;
    if (m >= kMaxCount) return kMaxCount;
    std::int64_t periods = 0;
    if (m >= transient + periodDown) {
        periods = (m - transient) / periodDown;
        m -= periods * periodDown;
    }
    std::int64_t value = 0;
    if (table.empty()) {
        value = evaluate(m);
    } else {
        std::int64_t& known = table[static_cast<std::size_t>(m)];
        if (known < 0) known = evaluate(m);
        value = known;
    }
    return addCounts(value, multiplyCounts(periods, periodUp));
}

std::optional<std::int64_t> Sdep::firstAtLeast(std::int64_t n) {
    if (n <= 0) return 0;
    if (!connected) return std::nullopt;
    std::int64_t above = 1;
    while ((*this)(above) < n) {
        if (above >= kMaxCount) return std::nullopt;
        above *= 2;
    }
    std::int64_t below = above / 2;
    while (above - below > 1) {
        const std::int64_t middle = below + (above - below) / 2;
        ((*this)(middle) >= n ? above : below) = middle;
    }
    return above;
}

std::optional<Sdep::Table> Sdep::tabulate() {
    constexpr std::int64_t kMostWork = std::int64_t{1} << 24;
    if (!connected || table.empty() ||
        multiplyCounts(static_cast<std::int64_t>(table.size()),
                       static_cast<std::int64_t>(demand.size())) > kMostWork)
        return std::nullopt;
    Table made{transient, periodUp, periodDown, {0}};
    counts.assign(demand.size(), 0);
    while (made.firings.size() < table.size()) {  // each one goes on where the last one stopped
        counts[demand.index(down)] = static_cast<std::int64_t>(made.firings.size());
        if (demand.raise(counts) != Demand::Outcome::Done) return std::nullopt;
        made.firings.push_back(counts[demand.index(up)]);
    }
    return made;
}

Guard::Guard(const Graph& graph, const Repetitions& repetitions, std::uint32_t message)
    : sender(graph.messages[message].sender),
      receiver(graph.messages[message].receiver),
      index(message),
      least(*graph.messages[message].minLatency),
      downstream(graph.messages[message].downstream),
      sdep(graph, repetitions, downstream ? sender : receiver, downstream ? receiver : sender) {}

std::int64_t Guard::required(std::int64_t m) {
    if (m <= 0 || !sdep.isConnected()) return 0;
    if (downstream) return std::clamp<std::int64_t>(sdep(m) - least, 0, kMaxCount);
    // Every n with SDEP(receiver, sender, n + least) < m has to be over.
    const auto first = sdep.firstAtLeast(m);
    return first ? std::clamp<std::int64_t>(*first - 1 - least, 0, kMaxCount) : 0;
}

std::vector<Guard> guards(const Graph& graph, const Repetitions& repetitions) {
    std::map<std::tuple<NodeId, NodeId, bool>, std::uint32_t> strictest;
    for (std::uint32_t i = 0; i < graph.messages.size(); ++i) {
        const MessageLink& link = graph.messages[i];
        if (!link.minLatency || link.bestEffort || link.sender == link.receiver) continue;
        if (link.downstream && *link.minLatency >= 0) continue;
        if (repetitions.island[link.sender] != repetitions.island[link.receiver]) continue;
        auto [it, isNew] = strictest.try_emplace({link.sender, link.receiver, link.downstream}, i);
        if (!isNew && *link.minLatency < *graph.messages[it->second].minLatency) it->second = i;
    }
    std::vector<Guard> list;
    for (const auto& [pair, message] : strictest) list.emplace_back(graph, repetitions, message);
    return list;
}

}  // namespace strc::graph
