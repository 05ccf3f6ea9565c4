#include "lowered/detail/pipelines.h"

#include <algorithm>
#include <numeric>

#include "vector/widths.h"

namespace strc::lowered {
namespace {

using plan::Step;
using plan::StepKind;
using Member = VectorPipeline::Member;

class Finder {
public:
    Finder(const plan::Plan& plan, const State& state, Lanes& lanes)
        : plan(plan), graph(plan.program->graph), state(state), lanes(lanes) {}

    VectorPipeline find(std::span<const Step> steps) {
        VectorPipeline pipeline;
        for (const Step& step : steps) {
            const unsigned width = widthOf(step);
            if (width == 0) break;
            VectorPipeline longer = pipeline;
            longer.members.push_back({&step});
            longer.width = pipeline.members.empty() ? width : std::min(width, pipeline.width);
            if (!haveWidth(longer)) break;
            if (!pipeline.members.empty() && !follows(*pipeline.members.back().step, step)) break;
            if (!fit(longer)) break;
            pipeline = std::move(longer);
        }
        return pipeline.members.size() > 1 ? pipeline : VectorPipeline{};
    }

private:
    const graph::Rates& ratesOf(const Step& step) const { return graph.nodes[step.node].work; }

    /// Of a filter with one input and one output whose firings are done in vectors; 0: it cannot join.
    unsigned widthOf(const Step& step) const {
        if (step.kind != StepKind::Fire || step.first) return 0;
        const graph::Node& node = graph.nodes[step.node];
        if (node.kind != graph::NodeKind::Filter ||
            plan.program->kernels[node.kernel].builtin != ir::BuiltinStream::None ||
            state.record(node.kernel).iterations != ir::kNone ||
            plan.inputsOf(step.node).size() != 1 || plan.outputsOf(step.node).size() != 1 ||
            node.work.pop.max < 1 || node.work.push.max < 1)
            return 0;
        const unsigned width = lanes.widthOf(node.kernel, step.count);
        return width != 0 && lanes.takesColumns(node.kernel) ? width : 0;
    }

    /// It need not be the best one of each.
    bool haveWidth(const VectorPipeline& pipeline) const {
        return std::all_of(
            pipeline.members.begin(), pipeline.members.end(), [&](const Member& member) {
                return lanes.hasWidth(graph.nodes[member.step->node].kernel, pipeline.width);
            });
    }

    /// Does the second one take all that the first one gives, and nobody else? What it looks back at would have to be kept.
    bool follows(const Step& first, const Step& second) const {
        const EdgeId between = plan.outputsOf(first.node)[0];
        const plan::Channel& channel = plan.channels[between];
        const graph::Rates& rates = ratesOf(second);
        const auto users =
            std::count_if(plan.channels.begin(), plan.channels.end(),
                          [&](const plan::Channel& other) { return other.tape == between; });
        return plan.inputsOf(second.node)[0] == between && channel.tape == between && users == 1 &&
               channel.retained == 0 && first.outputs[0] == second.inputs[0] &&
               first.count * ratesOf(first).push.max == second.count * rates.pop.max &&
               rates.peek.max <= rates.pop.max;
    }

    /// Sets what follows from the members. Is there room for their columns, and are there enough iterations?
    bool fit(VectorPipeline& pipeline) const {
        pipeline.trips = 0;
        for (const Member& member : pipeline.members)
            pipeline.trips = std::gcd(pipeline.trips, member.step->count);
        const std::int64_t width = pipeline.width;
        const std::int64_t groups = (pipeline.trips + width - 1) / width;
        if (pipeline.trips < width || 4 * groups * width > 5 * pipeline.trips) return false;
        return std::all_of(pipeline.members.begin(), pipeline.members.end(), [&](Member& member) {
            member.repeat = member.step->count / pipeline.trips;
            return fits(member, width);
        });
    }

    bool fits(const Member& member, std::int64_t width) const {
        const graph::Rates& rates = ratesOf(*member.step);
        if (member.repeat > 1 && rates.peek.max > rates.pop.max) return false;
        const std::int64_t in = member.repeat == 1 ? vector::columnItems(rates, width)
                                                   : rates.pop.max * member.repeat * width,
                           out = rates.push.max * member.repeat * width;
        const elab::Kernel& kernel = plan.program->kernels[graph.nodes[member.step->node].kernel];
        return std::max(in * types::sizeOf(kernel.input), out * types::sizeOf(kernel.output)) <=
               vector::kMostOfItems;
    }

    const plan::Plan& plan;
    const graph::Graph& graph;
    const State& state;
    Lanes& lanes;
};

}  // namespace

VectorPipeline findPipeline(const plan::Plan& plan, const State& state, Lanes& lanes,
                            std::span<const Step> steps) {
    return Finder(plan, state, lanes).find(steps);
}

}  // namespace strc::lowered
