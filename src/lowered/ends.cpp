#include "lowered/detail/ends.h"

#include <algorithm>

namespace strc::lowered {
namespace {

using graph::EdgeId;
using plan::Step;
using plan::StepKind;

constexpr std::int64_t kManyItems = 64;  ///< that LLVM moves together

class EndFinder {
public:
    EndFinder(const plan::Plan& plan, const plan::Phase& phase, const RateProofs& rates)
        : plan(plan), graph(plan.program->graph), phase(phase), rates(rates) {}

    EdgeId find(StepKind kind) const {
        const bool isIn = kind == StepKind::Read;
        const Step* end = nullptr;
        for (const Step& step : phase.steps) {
            if (step.kind != kind) continue;
            if (end) return graph::kNone;
            end = &step;
        }
        if (!end || !isAlone(end->channel)) return graph::kNone;
        const Step* firings = nullptr;
        for (const Step& step : phase.steps) {
            if (!touches(step, end->channel)) continue;
            if (firings || step.kind != StepKind::Fire) return graph::kNone;
            firings = &step;
        }
        if (!firings) return graph::kNone;
        return isInOrder(*firings, *end, isIn) || isDealtInOrder(*firings, *end, isIn)
                   ? end->channel
                   : graph::kNone;
    }

private:
    /// Nothing stays there, and no other edge lies on its tape.
    bool isAlone(EdgeId edge) const {
        const auto users =
            std::count_if(plan.channels.begin(), plan.channels.end(),
                          [&](const plan::Channel& other) { return other.tape == edge; });
        return users == 1 && plan.channels[edge].tape == edge && plan.channels[edge].retained == 0;
    }

    bool touches(const Step& step, EdgeId edge) const {
        if (step.kind == StepKind::Loop)
            return std::any_of(step.body.begin(), step.body.end(),
                               [&](const Step& inner) { return touches(inner, edge); });
        if (step.kind != StepKind::Fire) return step.kind == StepKind::Move && step.channel == edge;
        const std::vector<EdgeId>&in = plan.inputsOf(step.node), &out = plan.outputsOf(step.node);
        return std::find(in.begin(), in.end(), edge) != in.end() ||
               std::find(out.begin(), out.end(), edge) != out.end();
    }

    /// Does a splitter take all that is read, or a joiner give all that is written, many items at a time? Of few ones loops would
    /// be gathered and scattered across the firings around.
    bool isDealtInOrder(const Step& firings, const Step& end, bool isIn) const {
        const graph::Node& node = graph.nodes[firings.node];
        const graph::NodeKind wanted =
            isIn ? graph::NodeKind::RoundRobinSplitter : graph::NodeKind::RoundRobinJoiner;
        const plan::Position &there = isIn ? end.outputs[0] : end.inputs[0],
                             &here = isIn ? firings.inputs[0] : firings.outputs[0];
        return node.kind == wanted && there == here &&
               firings.count * node.totalWeight == end.count &&
               std::all_of(node.weights.begin(), node.weights.end(),
                           [](std::int64_t weight) { return weight == 0 || weight >= kManyItems; });
    }

    /// Do firings of a filter with code take all that is read, or give all that is written, as it comes?
    bool isInOrder(const Step& firings, const Step& end, bool isIn) const {
        const graph::Node& node = graph.nodes[firings.node];
        if (node.kind != graph::NodeKind::Filter || firings.first ||
            plan.program->kernels[node.kernel].builtin != ir::BuiltinStream::None ||
            !rates.isKept(plan.program->kernels[node.kernel], node.kernel))
            return false;
        if ((isIn ? plan.inputsOf(firings.node) : plan.outputsOf(firings.node)).size() != 1)
            return false;
        const plan::Position &there = isIn ? end.outputs[0] : end.inputs[0],
                             &here = isIn ? firings.inputs[0] : firings.outputs[0];
        const std::int64_t items = isIn ? node.work.pop.max : node.work.push.max;
        return there == here && firings.count * items == end.count &&
               (!isIn || node.work.peek.max <= items);
    }

    const plan::Plan& plan;
    const graph::Graph& graph;
    const plan::Phase& phase;
    const RateProofs& rates;
};

}  // namespace

Ends findEnds(const plan::Plan& plan, const plan::Phase& phase, const RateProofs& rates) {
    const EndFinder finder(plan, phase, rates);
    return {finder.find(StepKind::Read), finder.find(StepKind::Write)};
}

}  // namespace strc::lowered
