#include "sched/detail/initialise.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "graph/demand.h"
#include "graph/flow.h"
#include "graph/hierarchy.h"
#include "graph/sdep.h"
#include "sched/detail/explain.h"

namespace strc::sched {
namespace {

using base::Diag;
using graph::CompositeId;
using graph::Demand;
using graph::EdgeId;
using graph::kNone;
using graph::NodeId;

constexpr std::int64_t kMostEnqueued = 1 << 20;       ///< that a message may propose
constexpr std::uint64_t kProposalSteps = 10'000'000;  ///< spent on finding one
constexpr int kGuardTrips = 1000;                    ///< until the guards' counts must agree

class Initialisation {
public:
    Initialisation(base::Context& context, const graph::Graph& graph,
                   graph::Repetitions& repetitions)
        : context(context),
          graph(graph),
          repetitions(repetitions),
          tree(graph),
          stepsLeft(context.limits.simulationSteps) {}

    bool run() {
        if (!checkFirings() || !checkLoops() || !checkPaths()) return false;
        guards = graph::guards(graph, repetitions);
        Demand demand(graph, &guards);
        if (!guards.empty() && !checkGuards(demand)) return false;
        return findCounts(demand) && checkTapes();
    }

private:
    // ---- deadlock

    std::vector<std::int64_t> periodOf(const Demand& demand, std::size_t which,
                                       const std::vector<NodeId>& nodes) const {
        std::vector<std::int64_t> period(demand.size());
        std::int64_t common = 0;
        for (std::uint32_t i : demand.component(which)) {
            common = std::gcd(common, repetitions.steady[nodes[i]]);
        }
        for (std::uint32_t i : demand.component(which))
            period[i] = repetitions.steady[nodes[i]] / common;
        return period;
    }

    /// The first deadlock in a part of the graph.
    std::optional<graph::Deadlock> deadlockIn(const Demand& demand,
                                              const std::vector<NodeId>& nodes,
                                              std::uint64_t& steps) const {
        for (std::size_t which = 0; which < demand.components(); ++which) {
            if (!demand.isLoop(which)) continue;
            auto found = demand.findDeadlock(which, periodOf(demand, which, nodes), steps);
            if (found) return found;
        }
        return std::nullopt;
    }

    std::vector<NodeId> allNodes() const {
        std::vector<NodeId> nodes(graph.nodes.size());
        std::iota(nodes.begin(), nodes.end(), 0);
        return nodes;
    }

    /// report(component, deadlock) for each component that cannot run for ever; false if there is one.
    template <typename Report>
    bool checkComponents(const Demand& demand, Report&& report) {
        const std::vector<NodeId> nodes = allNodes();
        bool fine = true;
        for (std::size_t which = 0; which < demand.components(); ++which) {
            if (!demand.isLoop(which)) continue;
            auto found = demand.findDeadlock(which, periodOf(demand, which, nodes), stepsLeft);
            if (!found) continue;
            fine = false;
            if (found->overSteps) {
                reportSteps(nodes[demand.component(which)[0]]);
                return false;
            }
            report(which, *found);
        }
        return fine;
    }

    bool checkLoops() {
        const Demand demand(graph);
        return checkComponents(demand, [&](std::size_t which, const graph::Deadlock& found) {
            reportInnermost(demand, which, found);
        });
    }

    /// The component cannot run for ever. The loops in it that cannot even alone are to blame.
    void reportInnermost(const Demand& whole, std::size_t which, const graph::Deadlock& found) {
        std::vector<bool> holds(graph.composites.size());
        for (std::uint32_t node : whole.component(which)) {
            CompositeId id = graph.nodes[node].parent;
            for (; id != kNone && !holds[id]; id = graph.composites[id].parent) holds[id] = true;
        }
        std::vector<bool> innerFailed(graph.composites.size());
        bool reported = false;
        for (CompositeId id : tree.insideOut()) {
            const graph::Composite& composite = graph.composites[id];
            bool failed = innerFailed[id];
            if (!failed && holds[id] && composite.kind == graph::CompositeKind::FeedbackLoop) {
                failed = reportIfStuck(id);
                reported = reported || failed;
            }
            if (failed && composite.parent != kNone) innerFailed[composite.parent] = true;
        }
        if (!reported) reportDeadlock(context, graph, kNone, found, 0);
    }

    bool reportIfStuck(CompositeId id) {
        const std::vector<NodeId> nodes = tree.nodesOf(id);
        Demand demand(graph, nodes);
        auto found = deadlockIn(demand, nodes, stepsLeft);
        if (!found || found->overSteps) return false;
        reportDeadlock(context, graph, id, *found, missingItems(id, demand, nodes));
        return true;
    }

    EdgeId backEdge(CompositeId id) const {
        const NodeId joiner = graph.composites[id].joiner;
        if (joiner == kNone) return kNone;
        for (EdgeId edge : graph.nodes[joiner].inputs) {
            const NodeId from = graph.edges[edge].from;
            if (from != kNone && tree.contains(id, from) && !isDynamic(graph, edge)) return edge;
        }
        return kNone;
    }

    /// Least number of further enqueued items with which the loop runs; 0: not found. More items
    /// never hurt, so it can be searched for by halving.
    std::int64_t missingItems(CompositeId id, Demand& demand,
                              const std::vector<NodeId>& nodes) const {
        const EdgeId edge = backEdge(id);
        if (edge == kNone) return 0;
        std::uint64_t steps = std::min(stepsLeft, kProposalSteps);
        const auto has = static_cast<std::int64_t>(graph.edges[edge].initial.size());
        auto runs = [&](std::int64_t more) {
            demand.setInitial(edge, has + more);
            return !deadlockIn(demand, nodes, steps);
        };
        std::int64_t above = 1;
        while (!runs(above)) {
            if (above >= kMostEnqueued || steps == 0) return 0;
            above *= 2;
        }
        std::int64_t below = above / 2;
        while (above - below > 1) {
            const std::int64_t middle = below + (above - below) / 2;
            (runs(middle) ? above : below) = middle;
        }
        return steps == 0 ? 0 : above;
    }

    void reportSteps(NodeId node) {
        context.diags.add(Diag::LimitExceeded, graph.nodes[node].range)
            << "the search for a schedule of the loop through '" + path(graph, node) + "'"
            << static_cast<std::int64_t>(context.limits.simulationSteps);
    }

    // ---- messages

    /// In one static part a message needs a path of edges; elsewhere it is delivered as well as can
    /// be (language.md 14.5).
    bool checkPaths() {
        bool fine = true;
        for (const graph::MessageLink& link : graph.messages) {
            if (link.sender == link.receiver) continue;
            if (repetitions.island[link.sender] != repetitions.island[link.receiver]) continue;
            const NodeId up = link.downstream ? link.sender : link.receiver;
            const NodeId down = link.downstream ? link.receiver : link.sender;
            if (leadsTo(up, down)) continue;
            fine = false;
            context.diags.add(Diag::NoMessagePath, link.range)
                << path(graph, link.sender) << graph.nodes[link.receiver].name
                << path(graph, link.receiver);
        }
        return fine;
    }

    bool leadsTo(NodeId from, NodeId to) const {
        std::vector<bool> seen(graph.nodes.size());
        std::vector<NodeId> stack{from};
        seen[from] = true;
        while (!stack.empty() && !seen[to]) {
            const NodeId node = stack.back();
            stack.pop_back();
            for (EdgeId edge : graph.nodes[node].outputs) {
                const NodeId next = graph.edges[edge].to;
                if (next == kNone || seen[next]) continue;
                seen[next] = true;
                stack.push_back(next);
            }
        }
        return seen[to];
    }

    bool checkGuards(const Demand& demand) {
        return checkComponents(demand, [&](std::size_t, const graph::Deadlock& found) {
            auto link = std::find_if(found.cycle.begin(), found.cycle.end(),
                                     [](const graph::Link& l) { return l.guard != kNone; });
            STRC_ASSERT(link != found.cycle.end(), "a deadlock that data alone explain");
            reportLatency(context, graph, guards[link->guard]);
        });
    }

    // ---- counts

    /// Every prework runs, and every edge holds what its consumer looks at beyond what it takes.
    std::vector<std::int64_t> firstTargets() const {
        std::vector<std::int64_t> target(graph.nodes.size());
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            if (graph.nodes[id].prework) target[id] = 1;
        }
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            const graph::Edge& edge = graph.edges[id];
            if (edge.from == kNone || edge.to == kNone || isDynamic(graph, id)) continue;
            const graph::Flow flow = flowOf(graph, id);
            // Later firings of the consumer need that much anyway.
            const std::int64_t items =
                graph::addCounts(flow.consumed(flow.toHasFirst ? 1 : 0), flow.extra());
            target[edge.from] = std::max(target[edge.from], flow.sourceFiringsForItems(items));
        }
        return target;
    }

    bool findCounts(const Demand& demand) {
        std::vector<std::int64_t> fired = firstTargets();
        for (int iteration = 0;; ++iteration) {
            const auto outcome = demand.raise(fired);
            const bool tooMany = std::any_of(fired.begin(), fired.end(), [](std::int64_t count) {
                return count >= graph::kMaxCount;
            });
            if (outcome == Demand::Outcome::Overflow || tooMany) return reportCounts();
            STRC_ASSERT(outcome == Demand::Outcome::Done, "a deadlock that was not found before");
            graph::Guard* raised = raiseForGuards(fired);
            if (!raised) break;
            if (iteration == kGuardTrips) {
                reportLatency(context, graph, *raised);
                return false;
            }
        }
        repetitions.init = std::move(fired);
        return true;
    }

    /// The first steady state has to meet its quota under the guards: the senders run ahead.
    graph::Guard* raiseForGuards(std::vector<std::int64_t>& fired) {
        graph::Guard* raised = nullptr;
        for (graph::Guard& guard : guards) {
            const std::int64_t last =
                graph::addCounts(fired[guard.node()], repetitions.steady[guard.node()]);
            const std::int64_t least = guard.required(last) - repetitions.steady[guard.waitsFor()];
            if (least <= fired[guard.waitsFor()]) continue;
            fired[guard.waitsFor()] = least;
            raised = &guard;
        }
        return raised;
    }

    bool reportCounts() {
        const base::SourceRange where =
            graph.composites.empty() ? graph.nodes[0].range : graph.composites[0].header;
        context.diags.add(Diag::LimitExceeded, where)
            << "the number of firings before the first steady state" << graph::kMaxCount;
        return false;
    }

    // ---- memory

    /// Whether one tape may hold so many items; if so, `size` is what one takes.
    bool fitsAlone(EdgeId id, std::int64_t items, std::int64_t& size) {
        size = itemSize(graph.edges[id]);
        if (items <= static_cast<std::int64_t>(context.limits.totalBytes) / size) return true;
        reportOverflow(context, graph, id);
        return false;
    }

    bool fits(EdgeId id, std::int64_t items) {
        std::int64_t size = 0;
        if (!fitsAlone(id, items, size)) return false;
        needed += static_cast<std::uint64_t>(items * size);
        if (needed <= context.limits.totalBytes) return true;
        context.diags.add(Diag::LimitExceeded, graph.edges[id].range)
            << "the memory for items on tapes"
            << static_cast<std::int64_t>(context.limits.totalBytes);
        return false;
    }

    /// Reports tapes on which a single firing moves more than memory holds. Each tape is checked alone, since tapes that hold items at
    /// different times may share memory; the sum is checked when a plan is laid out (plan/layout) or items are there (interp).

    bool checkFirings() {
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            const graph::Edge& edge = graph.edges[id];
            if (isDynamic(graph, id)) continue;
            std::int64_t items = 0;
            for (bool first : {false, true}) {
                if (edge.from != kNone) items = std::max(items, pushRate(graph, id, first));
                if (edge.to != kNone) items = std::max(items, peekRate(graph, id, first));
            }
            if (std::int64_t size = 0; !fitsAlone(id, items, size)) return false;
        }
        return true;
    }

    /// Reports if the items that stay on all tapes between steady states do not fit into memory together.
    bool checkTapes() {
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            const graph::Edge& edge = graph.edges[id];
            if (edge.from == kNone || edge.to == kNone || isDynamic(graph, id)) continue;
            const graph::Flow flow = flowOf(graph, id);
            const std::int64_t items =
                graph::addCounts(flow.initial, flow.produced(repetitions.init[edge.from])) -
                flow.consumed(repetitions.init[edge.to]);
            if (!fits(id, items)) return false;
        }
        return true;
    }

    base::Context& context;
    const graph::Graph& graph;
    graph::Repetitions& repetitions;
    graph::Hierarchy tree;
    std::uint64_t stepsLeft;
    std::uint64_t needed = 0;  ///< bytes of the tapes looked at so far
    std::vector<graph::Guard> guards;
};

}  // namespace

bool initialise(base::Context& context, const graph::Graph& graph,
                graph::Repetitions& repetitions) {
    return Initialisation(context, graph, repetitions).run();
}

}  // namespace strc::sched
