#include "sched/balance.h"

#include <algorithm>
#include <map>

#include "graph/flow.h"
#include "graph/hierarchy.h"
#include "sched/detail/explain.h"
#include "sched/detail/initialise.h"
#include "sched/detail/proportions.h"

namespace strc::sched {
namespace {

using base::Diag;
using graph::CompositeId;
using graph::EdgeId;
using graph::kNone;
using graph::NodeId;

class Balance {
public:
    Balance(base::Context& context, const graph::Graph& graph)
        : context(context), graph(graph), tree(graph), proportions(graph.nodes.size()) {}

    bool solve(graph::Repetitions& repetitions) {
        return checkConnected() && addEquations() && findIslands(repetitions) &&
               findRepetitions(repetitions) && checkItems(repetitions);
    }

private:
    bool isStatic(EdgeId id) const {
        const graph::Edge& edge = graph.edges[id];
        return edge.from != kNone && edge.to != kNone && !isDynamic(graph, id);
    }

    bool checkConnected() {
        Proportions parts(graph.nodes.size());
        for (const graph::Edge& edge : graph.edges) {
            if (edge.from == kNone || edge.to == kNone) continue;
            if (!parts.areJoined(edge.from, edge.to)) parts.add(edge.from, edge.to, {});
        }
        if (parts.classes() == 1) return true;
        NodeId other = 1;
        while (parts.areJoined(0, other)) ++other;
        base::SourceRange where =
            graph.composites.empty() ? graph.nodes[other].range : graph.composites[0].header;
        context.diags.add(Diag::DisconnectedGraph, where) << path(graph, 0) << path(graph, other);
        return false;
    }

    /// Inner composites first: so a contradiction is found in the innermost one that holds it.
    bool addEquations() {
        std::map<CompositeId, std::vector<EdgeId>> byComposite;
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            if (!isStatic(id)) continue;
            const graph::Edge& edge = graph.edges[id];
            byComposite[tree.common(edge.from, edge.to)].push_back(id);
        }
        std::vector<CompositeId> order = tree.insideOut();
        order.push_back(kNone);
        std::vector<bool> failed(graph.composites.size());
        bool balanced = true;
        for (CompositeId composite : order) {
            const bool innerFailed = composite == kNone ? !balanced : failed[composite];
            if (innerFailed || !addEquationsOf(composite, byComposite[composite])) {
                balanced = false;
                if (overflow) return false;
                if (composite == kNone) continue;
                const CompositeId parent = graph.composites[composite].parent;
                if (parent != kNone) failed[parent] = true;
            }
        }
        return balanced;
    }

    bool addEquationsOf(CompositeId composite, const std::vector<EdgeId>& edges) {
        for (EdgeId id : edges) {
            const graph::Edge& edge = graph.edges[id];
            const std::int64_t push = pushRate(graph, id);
            const std::int64_t pop = popRate(graph, id);
            if (push == 0 && pop == 0) continue;
            auto added = Proportions::Added::Contradicts;
            if (push > 0 && pop > 0) added = proportions.add(edge.from, edge.to, ratio(push, pop));
            if (added == Proportions::Added::Overflows) {
                reportOverflow(push >= pop ? edge.to : edge.from, graph::kMaxCount);
                return false;
            }
            if (added != Proportions::Added::Contradicts) continue;
            reportInconsistent(context, graph, tree, proportions, composite, id);
            return false;
        }
        return true;
    }

    void reportOverflow(NodeId node, std::int64_t limit) {
        overflow = true;
        context.diags.add(Diag::RepetitionOverflow, graph.nodes[node].range)
            << limit << path(graph, node);
    }

    bool findIslands(graph::Repetitions& repetitions) {
        repetitions.island.assign(graph.nodes.size(), kNone);
        repetitions.islands = 0;
        for (NodeId node = 0; node < graph.nodes.size(); ++node) {
            if (repetitions.island[node] != kNone) continue;
            for (NodeId member : proportions.membersOf(proportions.classIndex(node))) {
                repetitions.island[member] = repetitions.islands;
            }
            ++repetitions.islands;
        }
        return true;
    }

    bool findRepetitions(graph::Repetitions& repetitions) {
        repetitions.steady.assign(graph.nodes.size(), 0);
        std::vector<std::int64_t> scale(repetitions.islands, 1);
        for (NodeId node = 0; node < graph.nodes.size(); ++node) {
            std::int64_t& common = scale[repetitions.island[node]];
            auto multiple = leastCommonMultiple(common, proportions.relative(node).den);
            if (!multiple) {
                reportOverflow(node, graph::kMaxCount);
                return false;
            }
            common = *multiple;
        }
        for (NodeId node = 0; node < graph.nodes.size(); ++node) {
            const Ratio value = proportions.relative(node);
            repetitions.steady[node] =
                graph::multiplyCounts(value.num, scale[repetitions.island[node]] / value.den);
            if (repetitions.steady[node] < graph::kMaxCount) continue;
            reportOverflow(node, graph::kMaxCount);
            return false;
        }
        return true;
    }

    /// The items of a steady state are counted too.
    bool checkItems(const graph::Repetitions& repetitions) {
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            if (!isStatic(id)) continue;
            const NodeId from = graph.edges[id].from;
            const std::int64_t push = std::max<std::int64_t>(pushRate(graph, id), 1);
            if (graph::multiplyCounts(repetitions.steady[from], push) < graph::kMaxCount) continue;
            reportOverflow(from, graph::kMaxCount / push);
            return false;
        }
        return true;
    }

    base::Context& context;
    const graph::Graph& graph;
    graph::Hierarchy tree;
    Proportions proportions;
    bool overflow = false;
};

}  // namespace

std::optional<graph::Repetitions> balance(base::Context& context, const graph::Graph& graph) {
    graph::Repetitions repetitions;
    if (!Balance(context, graph).solve(repetitions)) return std::nullopt;
    if (!initialise(context, graph, repetitions)) return std::nullopt;
    return repetitions;
}

}  // namespace strc::sched
