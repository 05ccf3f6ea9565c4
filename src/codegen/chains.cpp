#include "codegen/detail/chains.h"

#include <algorithm>
#include <numeric>

namespace strc::codegen {

using graph::EdgeId;
using plan::Step;
using plan::StepKind;

ChainFinder::ChainFinder(ModuleBuilder& m) : m(m), users(m.plan.channels.size()) {
    for (const plan::Channel& channel : m.plan.channels)
        if (channel.tape != graph::kNone) ++users[channel.tape];
}

const graph::Rates& ChainFinder::ratesOf(const Step& step) const {
    return m.plan.program->graph.nodes[step.node].work;
}

/// A filter with one input and one output whose firings are done in lanes.
bool ChainFinder::canJoin(const Step& step, Chain::Member& made, unsigned& width) {
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
    // longer rounds cost.
    if (kernel.input->is(TypeKind::Complex) || kernel.output->is(TypeKind::Complex)) return false;
    KernelFunctions& functions = m.kernel(node.kernel);
    width = m.needLanes(functions, step.count);
    made = {&step, &functions, 1};
    return width != 0 && m.takesTurned(functions);
}

/// Does the second one take all that the first one gives, and nobody else?
bool ChainFinder::follows(const Step& first, const Step& second) const {
    const EdgeId between = m.plan.outputsOf(first.node)[0];
    const plan::Channel& channel = m.plan.channels[between];
    return m.plan.inputsOf(second.node)[0] == between && channel.tape == between &&
           channel.retained == 0 && users[between] == 1 && first.outputs == second.inputs &&
           first.count * ratesOf(first).push.max == second.count * ratesOf(second).pop.max &&
           ratesOf(second).peek.max <= ratesOf(second).pop.max;
}

/// Sets what follows from the members; is there room for their columns, and are there enough rounds?
bool ChainFinder::fit(Chain& chain) const {
    chain.rounds = 0;
    for (const Chain::Member& member : chain.members)
        chain.rounds = std::gcd(chain.rounds, member.step->count);
    const std::int64_t width = chain.width;
    const std::int64_t groups = (chain.rounds + width - 1) / width;
    if (chain.rounds < width || 4 * groups * width > 5 * chain.rounds) return false;
    chain.bytes = 0;
    for (Chain::Member& member : chain.members) {
        const graph::Rates& rates = ratesOf(*member.step);
        const std::int64_t repeat = member.step->count / chain.rounds;
        if (repeat > 1 && rates.peek.max > rates.pop.max) return false;
        const std::int64_t in = repeat == 1 ? columnItems(rates, width)
                                            : rates.pop.max * repeat * width,
                           out = rates.push.max * repeat * width;
        const elab::Kernel& kernel = *member.functions->kernel;
        chain.bytes = std::max(
            {chain.bytes, in * types::sizeOf(kernel.input), out * types::sizeOf(kernel.output)});
        member.repeat = static_cast<unsigned>(repeat);
    }
    return chain.bytes <= kMostOfItems;
}

Chain ChainFinder::find(std::span<const Step> steps) {
    Chain chain;
    for (const Step& step : steps) {
        Chain longer = chain;
        unsigned width = 0;
        if (!canJoin(step, longer.members.emplace_back(), width)) break;
        if (chain.members.empty()) longer.width = width;
        if (width != longer.width) break;
        if (!chain.members.empty() && !follows(*chain.members.back().step, step)) break;
        if (!fit(longer)) break;
        chain = std::move(longer);
    }
    return chain.members.size() > 1 ? chain : Chain{};
}

std::string print(const Chain& chain) {
    std::string text =
        std::to_string(chain.width) + " lanes, " + std::to_string(chain.bytes) + " bytes\n";
    for (const Chain::Member& member : chain.members)
        text += "  " + std::to_string(member.repeat) + " x " +
                member.functions->work->getName().str() + "\n";
    return text;
}

}  // namespace strc::codegen
