#include "opt/detail/layouts.h"

#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "base/pass.h"
#include "opt/detail/layout_costs.h"
#include "opt/detail/min_cut.h"

namespace strc::opt {
namespace {

using graph::EdgeId;
using graph::NodeId;

/// Edges whose items lie in one layout, since somebody between them forwards bytes.
class Tapes {
public:
    Tapes(const elab::Elaboration& whole, const std::vector<Fused>& filters)
        : program(whole), graph(whole.graph), parents(graph.edges.size()) {
        std::iota(parents.begin(), parents.end(), EdgeId{0});
        isFixed.resize(parents.size());
        std::vector<bool> isInside(graph.nodes.size());
        for (const Fused& fused : filters)
            for (NodeId node : fused.region.nodes) isInside[node] = true;
        for (EdgeId id = 0; id < parents.size(); ++id) {
            const graph::Edge& edge = graph.edges[id];
            if (edge.from == graph::kNone || edge.to == graph::kNone || !edge.initial.empty())
                fix(id);
        }
        for (NodeId id = 0; id < graph.nodes.size(); ++id)
            if (!isInside[id]) outside(id);
    }

    EdgeId of(EdgeId edge) const {
        while (parents[edge] != edge) edge = parents[edge];
        return edge;
    }
    /// Does somebody read or write it who wants it row by row?
    bool isRowByRow(EdgeId tape) const { return isFixed[tape]; }

private:
    void outside(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        const bool forwards = node.kind != graph::NodeKind::Filter ||
                              program.kernels[node.kernel].builtin == ir::BuiltinStream::Identity;
        std::vector<EdgeId> edges = node.inputs;
        edges.insert(edges.end(), node.outputs.begin(), node.outputs.end());
        for (EdgeId edge : edges)
            if (forwards)
                join(edges[0], edge);
            else
                fix(edge);
    }

    void fix(EdgeId edge) { isFixed[of(edge)] = true; }
    void join(EdgeId edge, EdgeId other) {
        const EdgeId from = of(edge), to = of(other);
        parents[from] = to;
        isFixed[to] = isFixed[to] || isFixed[from];
    }

    const elab::Elaboration& program;
    const graph::Graph& graph;
    std::vector<EdgeId> parents;
    std::vector<bool> isFixed;  ///< by edge that stands for its tape
};

/// Which layout everything has that may be in either: first all filters, then all tapes.
class LayoutDivision {
public:
    LayoutDivision(const pass::Context& context, const elab::Elaboration& whole,
                   const graph::Repetitions& times, const std::vector<Fused>& all)
        : program(whole),
          repetitions(times),
          filters(all),
          tapes(whole, all),
          cut(all.size() + whole.graph.edges.size()) {
        for (EdgeId edge = 0; edge < program.graph.edges.size(); ++edge)
            if (tapes.of(edge) == edge && tapes.isRowByRow(edge)) cut.cost(tape(edge), 0, kNever);
        for (std::size_t k = 0; k < filters.size(); ++k) {
            costs.push_back(layoutCosts(filters[k].composed.kernel, context.types));
            const std::int64_t firings = repetitions.steady[filters[k].region.nodes.front()];
            auto cycles = [&](double each) {
                return static_cast<std::int64_t>(each * static_cast<double>(firings));
            };
            cut.cost(k, cycles(costs[k].rowByRow), cycles(costs[k].channelsLast));
            const Region& region = filters[k].region;
            meet(k, region.input, firings * popRate(program.graph, region.input));
            meet(k, region.output, firings * pushRate(program.graph, region.output));
        }
        isLast = cut.divide();
    }

    bool isFilterLast(std::size_t filter) const { return isLast[filter]; }
    /// The tapes before and behind a filter that is transposed, as far as they are to be.
    void turn(const Region& region) {
        for (EdgeId edge : {region.input, region.output})
            if (isLast[tape(edge)]) transposed.insert(tape(edge));
    }
    bool isTransposed(EdgeId edge) const { return transposed.contains(tape(edge)); }
    const LayoutCosts& costsOf(std::size_t filter) const { return costs[filter]; }

private:
    static constexpr std::int64_t kNever = std::int64_t{1} << 60;

    std::size_t tape(EdgeId edge) const { return filters.size() + tapes.of(edge); }

    /// An element that is read or written across the order of the others takes a cycle.
    void meet(std::size_t filter, EdgeId edge, std::int64_t items) {
        const auto& sequence = program.graph.edges[edge].tensors;
        if (sequence.empty()) return;
        const std::int64_t trips = items / static_cast<std::int64_t>(sequence.size());
        cut.apart(filter, tape(edge), countImageElements(sequence) * trips);
    }

    const elab::Elaboration& program;
    const graph::Repetitions& repetitions;
    const std::vector<Fused>& filters;
    const Tapes tapes;
    MinCut cut;
    std::vector<LayoutCosts> costs;
    std::vector<bool> isLast;
    std::set<std::size_t> transposed;  ///< tapes
};

/// A line.
std::string describe(const tensor::Layouts& layouts, const LayoutCosts& costs) {
    auto text = [](bool isLast) { return isLast ? "channels last" : "row by row"; };
    auto cycles = [](double count) { return std::to_string(std::llround(count)); };
    return std::string("input ") + text(layouts.isInputLast) + ", values " +
           text(layouts.areValuesLast) + ", output " + text(layouts.isOutputLast) + "; " +
           cycles(costs.channelsLast) + " cycles for " + cycles(costs.rowByRow) + "\n";
}

}  // namespace

void propagateLayouts(const pass::Context& context, const elab::Elaboration& program,
                      const graph::Repetitions& repetitions, std::vector<Fused>& filters) {
    if (!context.passes().isEnabled(base::Pass::LayoutPropagation)) return;
    LayoutDivision division(context, program, repetitions, filters);
    for (std::size_t k = 0; k < filters.size(); ++k) {
        if (!division.isFilterLast(k)) continue;
        base::PassRun run(context.passes(), base::Pass::LayoutPropagation, filters[k].path);
        if (!run) continue;
        filters[k].layouts.areValuesLast = true;
        division.turn(filters[k].region);
    }
    for (std::size_t k = 0; k < filters.size(); ++k) {
        Fused& fused = filters[k];
        fused.layouts.isInputLast = division.isTransposed(fused.region.input);
        fused.layouts.isOutputLast = division.isTransposed(fused.region.output);
        if (fused.layouts.areAny())
            context.passes().show(base::Pass::LayoutPropagation, fused.path,
                                  [&] { return describe(fused.layouts, division.costsOf(k)); });
    }
}

}  // namespace strc::opt
