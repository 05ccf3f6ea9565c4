#include "sched/schedule.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/assert.h"
#include "graph/demand.h"
#include "graph/sdep.h"
#include "sched/detail/capacity.h"
#include "sched/detail/cluster.h"
#include "sched/detail/explain.h"
#include "sched/detail/flatten.h"
#include "sched/detail/loops.h"
#include "sched/detail/simulate.h"
#include "sched/detail/verify.h"

namespace strc::sched {
namespace {

using base::Diag;
using graph::EdgeId;
using graph::NodeId;

constexpr std::int64_t kRunsWhenFree = 1 << 21;        ///< simulated, if there is another way
constexpr std::int64_t kRunsWhenPrescribed = 1 << 24;
constexpr std::int64_t kSizeWhenFree = 1 << 14;  ///< nodes of a tree beyond 8 for each actor
constexpr std::int64_t kSizeWhenPrescribed = 1 << 20;

class Scheduling {
public:
    Scheduling(base::Context& context, const graph::Graph& graph,
               const graph::Repetitions& repetitions, Order order, std::uint32_t island)
        : context(context), graph(graph), repetitions(repetitions), order(order) {
        result.island = island;
        for (NodeId node = 0; node < graph.nodes.size(); ++node) {
            if (repetitions.island[node] == island) nodes.push_back(node);
        }
    }

    std::optional<Schedule> run() {
        if (!findFirings()) return std::nullopt;
        result.capacity = capacities(graph, repetitions, result);
        if (tooLarge() != graph::kNone && order == Order::Buffers && inPrescribedOrder(false)) {
            result.remark = "only the order of minimal latency keeps the buffers in memory";
            result.capacity = capacities(graph, repetitions, result);
        }
        if (!checkMemory()) return std::nullopt;
#ifdef STRC_CHECKED
        const auto faults = verify(graph, repetitions, result);
        STRC_ASSERT(faults.empty(), faults.empty() ? "" : faults.front());
#endif
        return std::move(result);
    }

private:
    bool findFirings() {
        const bool prescribed = hasOrderedEffects() || hasMessages();
        if (prescribed) {
            result.remark = "messages or ordered effects prescribe the order of firings";
        }
        if (prescribed || order == Order::Latency) {
            if (inPrescribedOrder(prescribed)) return true;
            if (prescribed) return reportLength();
            order = Order::Buffers;
            result.remark = "the order of minimal latency would make the schedule too long";
        }
        if (!startUp()) return reportLength();
        auto steady = clusteredSteady(context, graph, repetitions, nodes,
                                      stateAfter(graph, repetitions.init), order);
        if (!steady) return false;
        result.steady.children = std::move(*steady);
        return true;
    }

    bool reportLength() {
        context.diags.add(Diag::LimitExceeded, graph.composites.empty()
                                                   ? graph.nodes[nodes[0]].range
                                                   : graph.composites[0].header)
            << "the length of the schedule" << kSizeWhenPrescribed;
        return false;
    }

    // ---- the order of the language

    /// Where several nodes have an effect of one kind, its order can be seen (language.md 12.6).
    bool hasOrderedEffects() const {
        std::map<std::uint8_t, int> nodesWith;
        std::set<std::string> files;
        for (NodeId id : nodes) {
            const graph::Node& node = graph.nodes[id];
            for (std::uint8_t effect : {graph::kPrints, graph::kRandom, graph::kNative}) {
                if ((node.effects & effect) && ++nodesWith[effect] > 1) return true;
            }
            if ((node.effects & graph::kWritesFile) && !files.insert(node.file).second) return true;
        }
        return false;
    }

    bool hasMessages() const {
        return std::any_of(graph.messages.begin(), graph.messages.end(), [&](const auto& link) {
            return repetitions.island[link.sender] == result.island ||
                   repetitions.island[link.receiver] == result.island;
        });
    }

    bool inPrescribedOrder(bool prescribed) {
        auto guards = graph::guards(graph, repetitions);
        const auto count = static_cast<std::int64_t>(nodes.size());
        const Bounds bounds{prescribed ? kRunsWhenPrescribed : kRunsWhenFree,
                            (prescribed ? kSizeWhenPrescribed : kSizeWhenFree) + 8 * count};
        auto play = [&](const std::vector<std::int64_t>& firings, const State& from, Loop& loop) {
            Simulated simulated = simulate(flatten(graph, nodes, firings, from, &guards),
                                           Policy::DownstreamFirst, bounds.within(context.limits));
            STRC_ASSERT(simulated.end != Simulated::End::Stuck, "a deadlock that balance accepted");
            rename(simulated.body, nodes);
            loop.children = std::move(simulated.body);
            return simulated.end == Simulated::End::Done;
        };
        return play(repetitions.init, startOf(graph), result.init) &&
               play(repetitions.steady, stateAfter(graph, repetitions.init), result.steady);
    }

    // ---- initialisation where the order is free

    bool startUp() {
        const auto count = static_cast<std::int64_t>(nodes.size());
        const State start = startOf(graph);
        const Bounds bounds{kRunsWhenFree >> 4, kSizeWhenFree / 4 + 8 * count};
        Simulated simulated = simulate(flatten(graph, nodes, repetitions.init, start),
                                       Policy::DownstreamFirst, bounds.within(context.limits));
        if (simulated.end == Simulated::End::Done &&
            (order == Order::Buffers || leaves(simulated.body) <= fewestLeaves())) {
            rename(simulated.body, nodes);
            result.init.children = std::move(simulated.body);
            return true;
        }
        const graph::Demand demand(graph, nodes);
        for (std::size_t which = 0; which < demand.components(); ++which) {
            std::vector<NodeId> inside;
            for (std::uint32_t i : demand.component(which)) inside.push_back(nodes[i]);
            if (!demand.isLoop(which)) {
                startNode(inside[0]);
            } else if (!startLoop(inside, start)) {
                return false;
            }
        }
        return true;
    }

    /// The leaves of an initialisation in which every node, and its prework, appears once.
    std::int64_t fewestLeaves() const {
        std::int64_t sum = 0;
        for (NodeId node : nodes) {
            sum +=
                std::min<std::int64_t>(repetitions.init[node], graph.nodes[node].prework ? 2 : 1);
        }
        return sum;
    }

    /// All that come before have had all their firings.
    void startNode(NodeId node) {
        std::int64_t count = repetitions.init[node];
        if (count > 0 && graph.nodes[node].prework) {
            result.init.children.push_back(leaf(node, 1));
            --count;
        }
        if (count > 0) result.init.children.push_back(leaf(node, count));
    }

    bool startLoop(const std::vector<NodeId>& inside, const State& start) {
        for (Policy policy : {Policy::Thorough, Policy::DownstreamFirst}) {
            Simulated simulated = simulate(flatten(graph, inside, repetitions.init, start), policy,
                                           Bounds{}.within(context.limits));
            if (simulated.end != Simulated::End::Done) continue;
            rename(simulated.body, inside);
            appendTimes(result.init.children, std::move(simulated.body), 1);
            return true;
        }
        return false;
    }

    // ---- memory

    std::int64_t mostItems(EdgeId id) const {
        return static_cast<std::int64_t>(context.limits.totalBytes) / itemSize(graph.edges[id]);
    }

    EdgeId tooLarge() const {
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            if (result.capacity[id] > mostItems(id)) return id;
        }
        return graph::kNone;
    }

    bool checkMemory() {
        const EdgeId id = tooLarge();
        if (id == graph::kNone) return true;
        reportOverflow(context, graph, id);
        return false;
    }

    base::Context& context;
    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    Order order;
    std::vector<NodeId> nodes;
    Schedule result;
};

}  // namespace

std::optional<Schedule> schedule(base::Context& context, const graph::Graph& graph,
                                 const graph::Repetitions& repetitions, Order order,
                                 std::uint32_t island) {
    return Scheduling(context, graph, repetitions, order, island).run();
}

}  // namespace strc::sched
