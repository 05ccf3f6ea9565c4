#include "codegen/detail/vector_pipelines.h"

#include <algorithm>
#include <numeric>

namespace strc::codegen {

using graph::EdgeId;
using plan::Step;
using plan::StepKind;

VectorPipelineFinder::VectorPipelineFinder(ModuleBuilder& m) : m(m), users(m.plan.channels.size()) {
    for (const plan::Channel& channel : m.plan.channels)
        if (channel.tape != graph::kNone) ++users[channel.tape];
}

const graph::Rates& VectorPipelineFinder::ratesOf(const Step& step) const {
    return m.plan.program->graph.nodes[step.node].work;
}

/// A filter with one input and one output whose firings are done in vectors.
bool VectorPipelineFinder::canJoin(const Step& step, VectorPipeline::Member& made,
                                   unsigned& width) {
    if (step.kind != StepKind::Fire || step.first) return false;
    const graph::Node& node = m.plan.program->graph.nodes[step.node];
    if (node.kind != graph::NodeKind::Filter || m.plan.counters[step.node] >= 0 ||
        m.plan.mailboxOf(step.node) != graph::kNone || m.plan.inputsOf(step.node).size() != 1 ||
        m.plan.outputsOf(step.node).size() != 1 ||
        m.plan.program->kernels[node.kernel].builtin != ir::BuiltinStream::None ||
        node.work.pop.max < 1 || node.work.push.max < 1)
        return false;
    const elab::Kernel& kernel = m.plan.program->kernels[node.kernel];
    // Real and imaginary parts have to be parted for each filter all the same: what is left to gain is less than what
    // longer iterations cost.
    if (kernel.input->is(TypeKind::Complex) || kernel.output->is(TypeKind::Complex)) return false;
    KernelFunctions& functions = m.kernel(node.kernel);
    width = m.needVectorWidth(functions, step.count);
    made = {&step, &functions, 1};
    return width != 0 && m.takesTransposed(functions);
}

/// Does the second one take all that the first one gives, and nobody else?
bool VectorPipelineFinder::follows(const Step& first, const Step& second) const {
    const EdgeId between = m.plan.outputsOf(first.node)[0];
    const plan::Channel& channel = m.plan.channels[between];
    return m.plan.inputsOf(second.node)[0] == between && channel.tape == between &&
           channel.retained == 0 && users[between] == 1 && first.outputs == second.inputs &&
           first.count * ratesOf(first).push.max == second.count * ratesOf(second).pop.max &&
           ratesOf(second).peek.max <= ratesOf(second).pop.max;
}

/// Sets what follows from the members; is there room for their columns, and are there enough iterations?
bool VectorPipelineFinder::fit(VectorPipeline& pipeline) const {
    pipeline.trips = 0;
    for (const VectorPipeline::Member& member : pipeline.members)
        pipeline.trips = std::gcd(pipeline.trips, member.step->count);
    const std::int64_t width = pipeline.width;
    const std::int64_t groups = (pipeline.trips + width - 1) / width;
    if (pipeline.trips < width || 4 * groups * width > 5 * pipeline.trips) return false;
    pipeline.bytes = 0;
    for (VectorPipeline::Member& member : pipeline.members) {
        const graph::Rates& rates = ratesOf(*member.step);
        const std::int64_t repeat = member.step->count / pipeline.trips;
        if (repeat > 1 && rates.peek.max > rates.pop.max) return false;
        const std::int64_t in = repeat == 1 ? soaItems(rates, width)
                                            : rates.pop.max * repeat * width,
                           out = rates.push.max * repeat * width;
        const elab::Kernel& kernel = *member.functions->kernel;
        pipeline.bytes = std::max(
            {pipeline.bytes, in * types::sizeOf(kernel.input), out * types::sizeOf(kernel.output)});
        member.repeat = static_cast<unsigned>(repeat);
    }
    return pipeline.bytes <= kMostOfItems;
}

VectorPipeline VectorPipelineFinder::find(std::span<const Step> steps) {
    VectorPipeline pipeline;
    for (const Step& step : steps) {
        VectorPipeline longer = pipeline;
        unsigned width = 0;
        if (!canJoin(step, longer.members.emplace_back(), width)) break;
        if (pipeline.members.empty()) longer.width = width;
        if (width != longer.width) break;
        if (!pipeline.members.empty() && !follows(*pipeline.members.back().step, step)) break;
        if (!fit(longer)) break;
        pipeline = std::move(longer);
    }
    return pipeline.members.size() > 1 ? pipeline : VectorPipeline{};
}

std::string print(const VectorPipeline& pipeline) {
    std::string text =
        std::to_string(pipeline.width) + " lanes, " + std::to_string(pipeline.bytes) + " bytes\n";
    for (const VectorPipeline::Member& member : pipeline.members)
        text += "  " + std::to_string(member.repeat) + " x " +
                member.functions->work->getName().str() + "\n";
    return text;
}

}  // namespace strc::codegen
