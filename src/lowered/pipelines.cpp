#include "lowered/detail/pipelines.h"

#include <algorithm>
#include <numeric>

#include "vector/widths.h"

namespace strc::lowered {
namespace {

using plan::Step;
using plan::StepKind;
using Member = VectorPipeline::Member;

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
        return isWorth(pipeline) ? pipeline : VectorPipeline{};
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

    const elab::Kernel& kernelOf(const Member& member) const {
        return plan.program->kernels[graph.nodes[member.step->node].kernel];
    }

    /// To part single complex items for all of them takes as long as to part them for each.
    bool isWorth(const VectorPipeline& pipeline) const {
        const std::vector<Member>& members = pipeline.members;
        return members.size() > 1 &&
               std::any_of(members.begin() + 1, members.end(), [&](const Member& member) {
                   return !kernelOf(member).input->is(types::TypeKind::Complex) ||
                          ratesOf(*member.step).pop.max * member.repeat > 1;
               });
    }

    /// Does the second one take all that the first one gives, and nobody else? What it looks back at are whole firings of several
    /// items: windows of single ones lie on the tape as vectors want them.
    bool follows(const Step& first, const Step& second) const {
        const EdgeId between = plan.outputsOf(first.node)[0];
        const plan::Channel& channel = plan.channels[between];
        const graph::Rates& rates = ratesOf(second);
        const auto users =
            std::count_if(plan.channels.begin(), plan.channels.end(),
                          [&](const plan::Channel& other) { return other.tape == between; });
        return plan.inputsOf(second.node)[0] == between && channel.tape == between && users == 1 &&
               isBehind(first.outputs[0], second.inputs[0], channel.retained) &&
               channel.retained % rates.pop.max == 0 &&
               (channel.retained == 0 || rates.pop.max > 1) &&
               first.count * ratesOf(first).push.max == second.count * rates.pop.max &&
               rates.peek.max <= rates.pop.max + channel.retained;
    }

    /// Sets what follows from the members. Is there room for their columns, and are there enough iterations?
    bool fit(VectorPipeline& pipeline) const {
        pipeline.trips = 0;
        for (const Member& member : pipeline.members)
            pipeline.trips = std::gcd(pipeline.trips, member.step->count);
        const std::int64_t width = pipeline.width;
        const std::int64_t groups = (pipeline.trips + width - 1) / width;
        if (pipeline.trips < width || 4 * groups * width > 5 * pipeline.trips) return false;
        for (Member& member : pipeline.members) {
            const EdgeId input = plan.inputsOf(member.step->node)[0];
            const bool isFirst = &member == &pipeline.members.front();
            member.repeat = member.step->count / pipeline.trips;
            member.history =
                isFirst ? 0 : plan.channels[input].retained / ratesOf(*member.step).pop.max;
            if (!fits(member, width)) return false;
        }
        pipeline.strip = width;
        return !pipeline.looksBack() || fitStrip(pipeline);
    }

    bool fits(const Member& member, std::int64_t width) const {
        const graph::Rates& rates = ratesOf(*member.step);
        if (member.repeat > 1 && (rates.peek.max > rates.pop.max || member.history != 0))
            return false;
        const std::int64_t in = member.repeat == 1 ? vector::columnItems(rates, width)
                                                   : rates.pop.max * member.repeat * width,
                           out = rates.push.max * member.repeat * width;
        const elab::Kernel& kernel = kernelOf(member);
        return std::max(in * types::sizeOf(kernel.input), out * types::sizeOf(kernel.output)) <=
               vector::kMostOfItems;
    }

    std::int64_t bytesOfColumns(const VectorPipeline& pipeline) const {
        std::int64_t bytes = 0;
        for (std::size_t k = 1; k < pipeline.members.size(); ++k) {
            const Member& member = pipeline.members[k];
            bytes += pipeline.columnLength(member) * ratesOf(*member.step).pop.max * member.repeat *
                     types::sizeOf(kernelOf(member).input);
        }
        return bytes;
    }

    /// The longest strip whose columns, all at once, stay near.
    bool fitStrip(VectorPipeline& pipeline) const {
        const std::int64_t width = pipeline.width,
                           most = std::min(pipeline.trips, kLongestStrip) / width;
        std::int64_t best = 0;
        for (std::int64_t vectors = 1; vectors <= most; ++vectors) {
            pipeline.strip = vectors * width;
            const bool isDivisor = vectors == 1 || pipeline.trips / width % vectors == 0;
            if (isDivisor && bytesOfColumns(pipeline) <= kMostOfColumns) best = pipeline.strip;
        }
        pipeline.strip = best;
        return best != 0;
    }

    const plan::Plan& plan;
    const graph::Graph& graph;
    const State& state;
    Lanes& lanes;
};

}  // namespace

bool VectorPipeline::looksBack() const {
    return std::any_of(members.begin(), members.end(),
                       [](const Member& member) { return member.history != 0; });
}

std::int64_t VectorPipeline::firstRow(const Member& next) const { return aligned(next.history); }

std::int64_t VectorPipeline::columnLength(const Member& next) const {
    return looksBack() ? aligned(firstRow(next) + strip) : width;
}

VectorPipeline findPipeline(const plan::Plan& plan, const State& state, Lanes& lanes,
                            std::span<const Step> steps) {
    return Finder(plan, state, lanes).find(steps);
}

}  // namespace strc::lowered
