#include "codegen/detail/vector_pipelines.h"

#include <algorithm>
#include <numeric>

namespace strc::codegen {

using graph::EdgeId;
using plan::Step;
using plan::StepKind;

namespace {

/// Bytes of all columns of a pipeline that looks back, and iterations of its strips.
constexpr std::int64_t kMostOfColumns = 16 * 1024, kLongestStrip = 256;
/// Columns begin at a multiple of so many items.
constexpr std::int64_t kAlignment = 16;

std::int64_t aligned(std::int64_t items) {
    return (items + kAlignment - 1) / kAlignment * kAlignment;
}

/// Is the first place always so many items behind the second one?
bool isBehind(const plan::Position& first, const plan::Position& second, std::int64_t items) {
    return first.perIteration == second.perIteration && first.base == second.base + items;
}

}  // namespace

bool VectorPipeline::looksBack() const {
    return std::any_of(members.begin(), members.end(),
                       [](const Member& member) { return member.history != 0; });
}

std::int64_t VectorPipeline::firstRow(const Member& next) const { return aligned(next.history); }

std::int64_t VectorPipeline::columnLength(const Member& next) const {
    return looksBack() ? aligned(firstRow(next) + strip) : width;
}

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
    KernelFunctions& functions = m.kernel(node.kernel);
    width = m.needVectorWidth(functions, step.count);
    made = {&step, &functions, 1};
    return width != 0 && m.takesTransposed(functions);
}

/// Does the second one take all that the first one gives, and nobody else? What it looks back at are whole firings of several items:
/// windows of single ones lie on the tape as vectors want them, and strips of them took longer (benchmarks/programs/beamformer.str).
bool VectorPipelineFinder::follows(const Step& first, const Step& second) const {
    const EdgeId between = m.plan.outputsOf(first.node)[0];
    const plan::Channel& channel = m.plan.channels[between];
    const graph::Rates& rates = ratesOf(second);
    return m.plan.inputsOf(second.node)[0] == between && channel.tape == between &&
           users[between] == 1 && isBehind(first.outputs[0], second.inputs[0], channel.retained) &&
           channel.retained % rates.pop.max == 0 && (channel.retained == 0 || rates.pop.max > 1) &&
           first.count * ratesOf(first).push.max == second.count * rates.pop.max &&
           rates.peek.max <= rates.pop.max + channel.retained;
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
        const bool isFirst = &member == &pipeline.members.front();
        const EdgeId input = m.plan.inputsOf(member.step->node)[0];
        member.history = isFirst ? 0 : m.plan.channels[input].retained / rates.pop.max;
        if (repeat > 1 && (rates.peek.max > rates.pop.max || member.history != 0)) return false;
        const std::int64_t in = repeat == 1 ? vector::columnItems(rates, width)
                                            : rates.pop.max * repeat * width,
                           out = rates.push.max * repeat * width;
        const elab::Kernel& kernel = *member.functions->kernel;
        pipeline.bytes = std::max(
            {pipeline.bytes, in * types::sizeOf(kernel.input), out * types::sizeOf(kernel.output)});
        member.repeat = static_cast<unsigned>(repeat);
    }
    pipeline.strip = width;
    return pipeline.bytes <= vector::kMostOfItems && (!pipeline.looksBack() || fitStrip(pipeline));
}

/// The longest strip whose columns, all at once, stay near.
bool VectorPipelineFinder::fitStrip(VectorPipeline& pipeline) const {
    auto fits = [&](std::int64_t strip) {
        pipeline.strip = strip;
        std::int64_t bytes = 0;
        for (const VectorPipeline::Member& member : pipeline.members) {
            if (&member == &pipeline.members.front()) continue;
            bytes += pipeline.columnLength(member) * ratesOf(*member.step).pop.max * member.repeat *
                     types::sizeOf(member.functions->kernel->input);
        }
        return bytes <= kMostOfColumns;
    };
    const std::int64_t width = pipeline.width;
    if (pipeline.trips < width || !fits(width)) return false;
    std::int64_t best = width;
    for (std::int64_t vectors = 2; vectors * width <= std::min(pipeline.trips, kLongestStrip);
         ++vectors)
        if (pipeline.trips / width % vectors == 0 && fits(vectors * width)) best = vectors * width;
    pipeline.strip = best;
    return true;
}

/// It need not be the best one of each.
bool VectorPipelineFinder::haveWidth(const VectorPipeline& pipeline) {
    return std::all_of(pipeline.members.begin(), pipeline.members.end(),
                       [&](const VectorPipeline::Member& member) {
                           const std::vector<unsigned>& widths = member.functions->widths;
                           return std::find(widths.begin(), widths.end(), pipeline.width) !=
                                  widths.end();
                       });
}

/// To part single complex items for all of them takes as long as to part them for each.
bool VectorPipelineFinder::isWorth(const VectorPipeline& pipeline) const {
    const std::vector<VectorPipeline::Member>& members = pipeline.members;
    return members.size() > 1 &&
           std::any_of(members.begin() + 1, members.end(), [&](const auto& member) {
               return !member.functions->kernel->input->is(TypeKind::Complex) ||
                      ratesOf(*member.step).pop.max * member.repeat > 1;
           });
}

VectorPipeline VectorPipelineFinder::find(std::span<const Step> steps) {
    VectorPipeline pipeline;
    for (const Step& step : steps) {
        VectorPipeline longer = pipeline;
        unsigned width = 0;
        if (!canJoin(step, longer.members.emplace_back(), width)) break;
        longer.width = pipeline.members.empty() ? width : std::min(width, pipeline.width);
        if (!haveWidth(longer)) break;
        if (!pipeline.members.empty() && !follows(*pipeline.members.back().step, step)) break;
        if (!fit(longer)) break;
        pipeline = std::move(longer);
    }
    return isWorth(pipeline) ? pipeline : VectorPipeline{};
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
