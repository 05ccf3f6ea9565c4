#include "device/detail/uses.h"

#include <algorithm>

namespace strc::device {

using graph::NodeKind;
using plan::Plan;
using plan::Step;
using plan::StepKind;

namespace {

/// A filter with several edges on a side takes or gives one item of each.
std::vector<Use> usesOfFilter(const Plan& plan, const Step& step, const graph::Node& node) {
    std::vector<Use> uses;
    const std::vector<graph::EdgeId>&in = plan.inputsOf(step.node),
          &out = plan.outputsOf(step.node);
    for (std::size_t port = 0; port < in.size(); ++port) {
        const std::int64_t pop = in.size() > 1 ? 1 : node.work.pop.max;
        const std::int64_t peek = in.size() > 1 ? 1 : std::max(pop, node.work.peek.max);
        uses.push_back({in[port], port, false, pop, (step.count - 1) * pop + peek});
    }
    for (std::size_t port = 0; port < out.size(); ++port) {
        const std::int64_t push = out.size() > 1 ? 1 : node.work.push.max;
        uses.push_back({out[port], port, true, push, step.count * push});
    }
    return uses;
}

/// The uses of a splitter or joiner, which copies from one edge to many, or from many to one.
std::vector<Use> usesOfCopies(const Step& step, const graph::Node& node) {
    const bool isJoiner = node.kind == NodeKind::RoundRobinJoiner;
    const bool isPlain = node.kind == NodeKind::Filter || node.kind == NodeKind::Duplicate;
    const std::int64_t each = node.kind == NodeKind::Filter ? node.work.pop.max : 1;
    const std::int64_t total = isPlain ? each : node.totalWeight;
    const std::vector<graph::EdgeId>& many = isJoiner ? node.inputs : node.outputs;
    std::vector<Use> uses{
        {isJoiner ? node.outputs[0] : node.inputs[0], 0, isJoiner, total, total * step.count}};
    for (std::size_t port = 0; port < many.size(); ++port) {
        const std::int64_t weight = isPlain ? each : node.weights[port];
        uses.push_back({many[port], port, !isJoiner, weight, weight * step.count});
    }
    return uses;
}

}  // namespace

std::vector<Use> usesOf(const Plan& plan, const Step& step) {
    const graph::Node& node = plan.program->graph.nodes[step.node];
    const bool computes = node.kind == NodeKind::Filter &&
                          plan.program->kernels[node.kernel].builtin == ir::BuiltinStream::None;
    return computes ? usesOfFilter(plan, step, node) : usesOfCopies(step, node);
}

bool touches(const Plan& plan, const Step& step, graph::EdgeId edge) {
    auto isIt = [&](graph::EdgeId other) {
        return plan.channels[other].tape == plan.channels[edge].tape;
    };
    switch (step.kind) {
        case StepKind::Fire: {
            const std::vector<Use> uses = usesOf(plan, step);
            return std::any_of(uses.begin(), uses.end(),
                               [&](const Use& use) { return isIt(use.edge); });
        }
        case StepKind::Loop:
            return std::any_of(step.body.begin(), step.body.end(),
                               [&](const Step& inner) { return touches(plan, inner, edge); });
        default: return step.channel != graph::kNone && isIt(step.channel);
    }
}

Step firingsOf(const Plan& plan, const Step& step, std::int64_t first, std::int64_t count) {
    Step part = step;
    part.count = count;
    for (const Use& use : usesOf(plan, step)) {
        std::vector<plan::Position>& positions = use.isWritten ? part.outputs : part.inputs;
        positions[use.port].base += first * use.perFiring;
    }
    return part;
}

}  // namespace strc::device
