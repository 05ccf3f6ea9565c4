#include "sched/detail/verify.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "graph/sdep.h"

namespace strc::sched {
namespace {

using graph::EdgeId;
using graph::Graph;
using graph::kNone;
using graph::NodeId;

__extension__ using Wide = __int128;

constexpr std::int64_t kMostSingleFirings = 1 << 16;  ///< replayed one by one
constexpr std::size_t kMostFaults = 20;

/// Executing something, as one edge sees it.
struct Profile {
    Wide change = 0;
    Wide needed = 0;   ///< content at the start without which a firing lacks items
    Wide highest = 0;  ///< content in between, relative to the start

    void then(const Profile& next) {
        needed = std::max(needed, next.needed - change);
        highest = std::max(highest, change + next.highest);
        change += next.change;
    }
    /// Needs and heights move by `change` each iteration: the first or the last is the extreme one.
    Profile times(Wide trips) const {
        Profile all;
        all.change = change * trips;
        all.needed = needed + std::max<Wide>(-change * (trips - 1), 0);
        all.highest = highest + std::max<Wide>(change * (trips - 1), 0);
        return all;
    }
};

using Profiles = std::map<EdgeId, Profile>;

class Verification {
public:
    Verification(const Graph& graph, const graph::Repetitions& repetitions,
                 const Schedule& schedule)
        : graph(graph),
          repetitions(repetitions),
          schedule(schedule),
          guards(graph::guards(graph, repetitions)) {
        fired.assign(graph.nodes.size(), 0);
        items.assign(graph.edges.size(), 0);
        guardsOf.resize(graph.nodes.size());
        for (std::size_t i = 0; i < guards.size(); ++i) guardsOf[guards[i].node()].push_back(i);
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            if (isOurs(id)) items[id] = static_cast<Wide>(graph.edges[id].initial.size());
        }
        most = items;
    }

    std::vector<std::string> run() {
        if (!checkTree(schedule.init) || !checkTree(schedule.steady)) return faults;
        checkQuota("init", schedule.init, repetitions.init);
        checkQuota("steady", schedule.steady, repetitions.steady);
        if (!faults.empty()) return faults;
        play(schedule.init);
        const std::vector<Wide> before = items;
        play(schedule.steady);
        for (EdgeId id = 0; id < items.size() && faults.size() < kMostFaults; ++id) {
            if (items[id] == before[id]) continue;
            fault("{} holds {} items before a steady state and {} after it", name(id),
                  text(before[id]), text(items[id]));
        }
        checkCapacity();
        return faults;
    }

private:
    bool isOurs(EdgeId id) const {
        const graph::Edge& edge = graph.edges[id];
        return edge.from != kNone && edge.to != kNone && !isDynamic(graph, id) &&
               repetitions.island[edge.from] == schedule.island;
    }

    template <typename... Args>
    void fault(fmt::format_string<Args...> format, Args&&... args) {
        if (faults.size() >= kMostFaults) return;
        faults.push_back(fmt::format(format, std::forward<Args>(args)...));
    }

    std::string name(EdgeId id) const {
        return fmt::format("'{}' -> '{}'", path(graph, graph.edges[id].from),
                           path(graph, graph.edges[id].to));
    }

    static std::string text(Wide value) {
        const bool fits = value <= INT64_MAX && value >= INT64_MIN;
        return fits ? std::to_string(static_cast<std::int64_t>(value)) : "too many";
    }

    // ---- shape and numbers

    bool checkTree(const Loop& loop) {
        if (loop.count < 1 || (loop.isLeaf() && !loop.children.empty())) {
            fault("a loop of {} rounds is malformed", loop.count);
            return false;
        }
        if (loop.isLeaf()) {
            const bool known =
                loop.node < graph.nodes.size() && repetitions.island[loop.node] == schedule.island;
            if (!known) fault("node {} does not belong to the schedule", loop.node);
            return known;
        }
        return std::all_of(loop.children.begin(), loop.children.end(),
                           [&](const Loop& child) { return checkTree(child); });
    }

    static void count(const Loop& loop, Wide times, std::map<NodeId, Wide>& firings) {
        const Wide all = std::min<Wide>(times * loop.count, Wide{1} << 80);
        if (loop.isLeaf()) firings[loop.node] += all;
        for (const Loop& child : loop.children) count(child, all, firings);
    }

    void checkQuota(const char* phase, const Loop& loop,
                    const std::vector<std::int64_t>& expected) {
        std::map<NodeId, Wide> firings;
        count(loop, 1, firings);
        for (NodeId node = 0; node < graph.nodes.size(); ++node) {
            if (repetitions.island[node] != schedule.island) continue;
            auto it = firings.find(node);
            const Wide found = it == firings.end() ? 0 : it->second;
            if (found == expected[node]) continue;
            fault("'{}' fires {} times instead of {} in the {} schedule", path(graph, node),
                  text(found), expected[node], phase);
        }
    }

    void checkCapacity() {
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            if (schedule.capacity[id] == most[id]) continue;
            fault("the buffer of {} has room for {} items, the most it holds is {}",
                  isOurs(id) ? name(id) : fmt::format("edge {}", id), schedule.capacity[id],
                  text(most[id]));
        }
    }

    // ---- replay

    void play(const Loop& loop) {
        std::map<NodeId, Wide> firings;
        count(loop, 1, firings);
        Wide sum = 0;
        for (const auto& [node, times] : firings) sum += times;
        if (sum <= kMostSingleFirings) {
            playSingly(loop);
        } else {
            playLoop(loop);
        }
    }

    void playSingly(const Loop& loop) {
        for (std::int64_t i = 0; i < loop.count; ++i) {
            if (loop.isLeaf()) fireOnce(loop.node);
            for (const Loop& child : loop.children) playSingly(child);
        }
    }

    void fireOnce(NodeId node) {
        const bool first = fired[node] == 0;
        for (std::size_t i : guardsOf[node]) {
            if (fired[guards[i].waitsFor()] >= guards[i].required(fired[node] + 1)) continue;
            fault("firing {} of '{}' comes before the firings of '{}' whose messages it may get",
                  fired[node] + 1, path(graph, node), path(graph, guards[i].waitsFor()));
        }
        for (EdgeId id : graph.nodes[node].inputs) {
            if (!isOurs(id)) continue;
            const std::int64_t pop = popRate(graph, id, first);
            const std::int64_t need = std::max(pop, peekRate(graph, id, first));
            if (items[id] < need) {
                fault("firing {} of '{}' needs {} items on {}, where there are {}", fired[node] + 1,
                      path(graph, node), need, name(id), text(items[id]));
            }
            items[id] -= pop;
        }
        for (EdgeId id : graph.nodes[node].outputs) {
            if (!isOurs(id)) continue;
            items[id] += pushRate(graph, id, first);
            most[id] = std::max(most[id], items[id]);
        }
        ++fired[node];
    }

    bool isStarted(const Loop& loop) const {
        if (loop.isLeaf()) return fired[loop.node] > 0 || !graph.nodes[loop.node].prework;
        return std::all_of(loop.children.begin(), loop.children.end(),
                           [&](const Loop& child) { return isStarted(child); });
    }

    /// An iteration with first firings in it is played by itself, the other ones are all alike.
    void playLoop(const Loop& loop) {
        std::int64_t rest = loop.count;
        if (!isStarted(loop)) {
            if (loop.isLeaf()) fireOnce(loop.node);
            for (const Loop& child : loop.children) playLoop(child);
            --rest;
        }
        if (rest == 0) return;
        if (!loop.isLeaf() && rest == 1) {
            for (const Loop& child : loop.children) playLoop(child);
            return;
        }
        Loop others = loop;
        others.count = rest;
        for (const auto& [id, profile] : profilesOf(others)) {
            if (items[id] < profile.needed) {
                fault("{} holds {} items at the start of a loop that needs {}", name(id),
                      text(items[id]), text(profile.needed));
            }
            most[id] = std::max(most[id], items[id] + profile.highest);
            items[id] += profile.change;
        }
        if (loop.isLeaf()) fired[loop.node] += rest;
        for (const Loop& child : loop.children) markFired(child);
    }

    void markFired(const Loop& loop) {
        if (loop.isLeaf()) ++fired[loop.node];
        for (const Loop& child : loop.children) markFired(child);
    }

    Profiles profilesOf(const Loop& loop) const {
        Profiles once;
        if (loop.isLeaf()) {
            addFiring(loop.node, once);
        } else {
            for (const Loop& child : loop.children) {
                for (const auto& [id, profile] : profilesOf(child)) once[id].then(profile);
            }
        }
        for (auto& [id, profile] : once) profile = profile.times(loop.count);
        return once;
    }

    void addFiring(NodeId node, Profiles& profiles) const {
        for (EdgeId id : graph.nodes[node].inputs) {
            if (!isOurs(id)) continue;
            Profile take;
            take.needed = std::max(popRate(graph, id), peekRate(graph, id));
            take.change = -popRate(graph, id);
            profiles[id].then(take);
        }
        for (EdgeId id : graph.nodes[node].outputs) {
            if (!isOurs(id)) continue;
            Profile give;
            give.change = give.highest = pushRate(graph, id);
            profiles[id].then(give);
        }
    }

    const Graph& graph;
    const graph::Repetitions& repetitions;
    const Schedule& schedule;
    std::vector<graph::Guard> guards;
    std::vector<std::vector<std::size_t>> guardsOf;
    std::vector<std::int64_t> fired;
    std::vector<Wide> items, most;
    std::vector<std::string> faults;
};

}  // namespace

std::vector<std::string> verify(const Graph& graph, const graph::Repetitions& repetitions,
                                const Schedule& schedule) {
    return Verification(graph, repetitions, schedule).run();
}

}  // namespace strc::sched
