#include "lowered/detail/lanes.h"

#include <algorithm>

#include "base/pass.h"
#include "ir/scalarise.h"
#include "vector/loops.h"
#include "vector/widths.h"

namespace strc::lowered {
namespace {

std::string nameOf(const elab::Kernel& kernel) {
    return (kernel.code.name.empty() ? "filter" : kernel.code.name) + ".work";
}

}  // namespace

Lanes::Lanes(base::Context& context, types::TypeTable& types, const target::Model& target,
             const elab::Elaboration& program, const RateProofs& rates)
    : context(context), types(types), target(target), program(program), rates(rates) {}

const ir::Body& Lanes::firingOf(graph::KernelId id, const Filter& filter) const {
    return filter.stateInLocals ? *filter.stateInLocals : *program.kernels[id].code.work;
}

vector::FiringFacts Lanes::factsOf(graph::KernelId id, const Filter& filter) const {
    const elab::Kernel& kernel = program.kernels[id];
    const Unproved& unproved = rates.of(id, false);
    vector::FiringFacts facts;
    facts.input = kernel.input;
    facts.output = kernel.output;
    facts.rates = kernel.work;
    facts.popsProved = !unproved.pops;
    facts.pushesProved = !unproved.pushes;
    facts.isSafe = [this, id](const ir::Instr& instr) { return rates.cannotFail(id, instr); };
    facts.state = filter.state;
    return facts;
}

/// Counters, generators of random numbers and the like are the only state that several firings at once may have.
Lanes::Filter& Lanes::filter(graph::KernelId id) {
    const auto [found, isNew] = filters.try_emplace(id);
    Filter& made = found->second;
    if (!isNew) return made;
    const elab::Kernel& kernel = program.kernels[id];
    const ir::Body& work = *kernel.code.work;
    if (ir::hasVectors(work)) return made;
    std::optional<ir::SkippingFirings> skipping = ir::firingsThatSkipAhead(
        work, [this, id](const ir::Instr& instr) { return rates.cannotFail(id, instr); });
    if (skipping && base::PassRun(context.passes, base::Pass::SkipAhead, nameOf(kernel))) {
        made.state = std::move(skipping->state);
        made.stateInLocals = std::move(skipping->body);
        made.varying = std::move(skipping->varying);
    } else {
        made.varying = ir::findVarying(work);
    }
    made.widths = vector::widthsOf(factsOf(id, made), firingOf(id, made), made.varying);
    if (made.widths.empty()) made.loops = vectoriseLoops(id);
    return made;
}

std::optional<ir::Body> Lanes::vectoriseLoops(graph::KernelId id) const {
    const elab::Kernel& kernel = program.kernels[id];
    ir::Body work = *kernel.code.work;
    for (ir::BlockId k = 0; k < work.blocks.size(); ++k)
        for (std::size_t at = 0; at < work.blocks[k].instrs.size(); ++at)
            if (rates.cannotFail(id, kernel.code.work->blocks[k].instrs[at]))
                work.blocks[k].instrs[at].checked = false;
    vector::LoopFacts facts;
    facts.input = kernel.input;
    facts.rates = kernel.work;
    facts.isSafe = [](const ir::Instr& instr) { return !ir::hasCheck(instr); };
    facts.isWanted = [&](const ir::VectorLoop&) {
        return static_cast<bool>(
            base::PassRun(context.passes, base::Pass::VectoriseLoops, nameOf(kernel)));
    };
    return vector::vectoriseLoops(types, target, work, facts);
}

unsigned Lanes::widthOf(graph::KernelId id, std::int64_t firings) {
    Filter& filter = this->filter(id);
    const unsigned width = vector::bestWidth(filter.widths, firings);
    if (width == 0 || filter.asked.contains(width)) return width;
    if (!base::PassRun(context.passes, base::Pass::VectoriseFirings, nameOf(program.kernels[id]))) {
        filter.widths.clear();
        return 0;
    }
    filter.asked.insert(width);
    return width;
}

bool Lanes::hasWidth(graph::KernelId id, unsigned width) const {
    const std::vector<unsigned>& widths = filters.at(id).widths;
    return std::find(widths.begin(), widths.end(), width) != widths.end();
}

bool Lanes::hasState(graph::KernelId id) const { return !filters.at(id).state.empty(); }

bool Lanes::takesColumns(graph::KernelId id) const {
    const Filter& filter = filters.at(id);
    for (const ir::Block& block : program.kernels[id].code.work->blocks)
        for (const ir::Instr& instr : block.instrs)
            if (instr.op == ir::Op::Peek && filter.varying.regs[instr.operands[0]]) return false;
    return filter.state.empty();
}

const ir::Body& Lanes::body(graph::KernelId id, const LaneShape& shape) {
    const auto found = bodies.find({id, shape});
    if (found != bodies.end()) return found->second;
    const Filter& of = filter(id);
    const vector::FiringShape how{.lanes = shape.lanes,
                                  .takesColumns = shape.takesColumns,
                                  .inLength = shape.inLength,
                                  .leavesRows = shape.leavesRows,
                                  .outLength = shape.outLength,
                                  .hasPlaces = true,
                                  .partsComplex = shape.partsComplex};
    return bodies[{id, shape}] =
               vector::vectoriseFirings(types, firingOf(id, of), of.varying, factsOf(id, of), how);
}

/// It returns in one place only if no check leaves it.
bool Lanes::mayGiveUp(graph::KernelId id, unsigned width) {
    const auto [found, isNew] = givesUp.try_emplace({id, width});
    if (!isNew) return found->second;
    std::ptrdiff_t returns = 0;
    for (const ir::Block& block : body(id, {.lanes = width}).blocks)
        returns += std::count_if(block.instrs.begin(), block.instrs.end(),
                                 [](const ir::Instr& i) { return i.op == ir::Op::Return; });
    return found->second = returns != 1;
}

const ir::Body* Lanes::loopsInVectors(graph::KernelId id) {
    const Filter& of = filter(id);
    return of.loops ? &*of.loops : nullptr;
}

}  // namespace strc::lowered
