#include "codegen/detail/laps.h"

#include <algorithm>

#include "codegen/detail/body_laps.h"
#include "plan/marks.h"
#include "plan/work.h"

namespace strc::codegen {
namespace {

using plan::Step;
using plan::StepKind;

plan::TimedSteps timedSteps(std::span<const Step> steps) {
    plan::TimedSteps made;
    for (const auto& [node, firings] : plan::firingsOf({steps.begin(), steps.end()}))
        made.push_back({node, firings});
    return made;
}

/// The filter with a file that the step fires, as it was called before the program became one filter; kNone: it is another step.
graph::NodeId fileBefore(const plan::Plan& plan, const Step& step) {
    if (step.kind != StepKind::Fire) return graph::kNone;
    auto find = [&](const std::vector<plan::ProgramPort>& now,
                    const std::vector<plan::ProgramPort>& before) {
        for (std::size_t port = 0; port < now.size(); ++port)
            if (now[port].node == step.node) return before[port].node;
        return graph::kNone;
    };
    const graph::NodeId reader = find(plan.inputs, plan.before->inputs);
    return reader != graph::kNone ? reader : find(plan.outputs, plan.before->outputs);
}

/// Several firings at once say by a boolean whether they have been done.
bool isSingleFiring(const Instr& instr) {
    return instr.op == Op::Call && instr.index != ir::kNone && instr.result == ir::kNone;
}

}  // namespace

void emitLap(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::Value* env,
             const plan::TimedSteps& steps) {
    llvm::Function* function = b.GetInsertBlock()->getParent();
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(m.i8(), env, offsetof(strc_env, timing));
    llvm::Value* timing = b.CreateLoad(m.ptr(), place);
    auto* lap = llvm::BasicBlock::Create(m.context, "lap", function);
    auto* on = llvm::BasicBlock::Create(m.context, "on", function);
    b.CreateCondBr(b.CreateIsNotNull(timing), lap, on,
                   llvm::MDBuilder(m.context).createUnlikelyBranchWeights());
    b.SetInsertPoint(lap);
    b.CreateCall(m.runtime("strc_lap"),
                 {env, b.getInt32(static_cast<std::uint32_t>(m.lap(steps)))});
    b.CreateBr(on);
    b.SetInsertPoint(on);
}

Laps::Laps(PhaseContext& context, bool isWanted)
    : c(context), isOn(isWanted && c.m.options.profile && !c.m.plan.demand) {}

bool Laps::isTimedAsWhole(const Step& loop) const {
    const auto steps = static_cast<double>(std::max<std::size_t>(loop.body.size(), 1));
    const double work = c.m.workEstimate().of(c.m.plan, loop) / static_cast<double>(loop.count);
    return work / steps < kLongStep;
}

void Laps::after(std::span<const Step> steps) {
    if (!isOn || wholes != 0) return;
    const Step& first = steps.front();
    const bool isBody = first.kind == StepKind::Fire || first.kind == StepKind::Part;
    if (c.m.plan.before && isBody) return afterFile(first);
    if (first.kind == StepKind::Loop && !isTimedAsWhole(first)) return;
    emitLap(c.m, c.b, c.env(), timedSteps(steps));
}

/// All others have laps in their bodies (body_laps.h).
void Laps::afterFile(const Step& step) {
    const graph::NodeId file = fileBefore(c.m.plan, step);
    if (file == graph::kNone) return;
    emitLap(c.m, c.b, c.env(), {{file, step.count}});
}

Laps::Inside::Inside(Laps& laps, const Step& loop)
    : laps(laps), isWhole(laps.isOn && laps.isTimedAsWhole(loop)) {
    if (isWhole) ++laps.wholes;
}

Laps::Inside::~Inside() {
    if (isWhole) --laps.wholes;
}

// ---- bodies

BodyLaps::BodyLaps(BodyContext& context) : c(context), affine(c.body) {
    if (!countFirings(c.body.entry).empty()) timeStepsOf(c.body.entry);
}

/// What is done at once is counted where it is done one by one, since it could not be done.
BodyLaps::Firings BodyLaps::countFirings(ir::BlockId id) {
    Firings all;
    if (id == ir::kNone) return all;
    const std::vector<Instr>& instrs = c.body.blocks[id].instrs;
    for (std::size_t k = 0; k < instrs.size(); ++k) {
        const Instr& instr = instrs[k];
        Firings once;
        if (isSingleFiring(instr)) once[instr.index] = 1;
        for (ir::BlockId block : instr.blocks)
            for (const auto& [node, count] : countFirings(block)) once[node] += count;
        if (once.empty()) continue;
        const std::int64_t trips = instr.op == Op::Loop ? tripsOf({instrs.data(), k}, instr) : 1;
        for (const auto& [node, count] : once) all[node] += trips * count;
        firings[&instr] = std::move(once);
    }
    return all;
}

/// Where they are not known shares of a lap are, too, no more than an estimate.
std::int64_t BodyLaps::tripsOf(std::span<const Instr> before, const Instr& loop) const {
    const std::optional<ir::Induction> counted = affine.induction(before, loop);
    return counted ? counted->trips : 1;
}

std::vector<const Instr*> BodyLaps::stepsOf(ir::BlockId id) const {
    std::vector<const Instr*> steps;
    for (const Instr& instr : c.body.blocks[id].instrs)
        if (firings.contains(&instr)) steps.push_back(&instr);
    return steps;
}

bool BodyLaps::isTimedAsWhole(const Instr& loop) const {
    if (c.shared.loops.contains(&loop)) return true;
    const std::vector<const Instr*> steps = stepsOf(loop.blocks[1]);
    if (steps.size() == 1) return steps[0]->op != Op::Loop || isTimedAsWhole(*steps[0]);
    double work = 0;
    for (const auto& [node, count] : firings.at(&loop))
        work += c.m.workEstimate().ofFiring(node) * static_cast<double>(count);
    return work / static_cast<double>(steps.size()) < kLongStep;
}

void BodyLaps::timeStepsOf(ir::BlockId id) {
    timed.insert(id);
    for (const Instr* step : stepsOf(id))
        if (step->op == Op::Loop && !isTimedAsWhole(*step)) timeStepsOf(step->blocks[1]);
}

/// Empty: others are, or it is nothing that takes long. Loops without firings move items.
std::optional<plan::TimedSteps> BodyLaps::timedBy(const Instr& instr) const {
    const auto found = firings.find(&instr);
    const bool isLoop = instr.op == Op::Loop;
    if (isLoop ? timed.contains(instr.blocks[1]) : found == firings.end()) return std::nullopt;
    plan::TimedSteps steps;
    if (found != firings.end())
        for (const auto& [node, count] : found->second) steps.push_back({node, count});
    return steps;
}

void BodyLaps::after(ir::BlockId id, const Instr& instr) {
    if (!timed.contains(id)) return;
    if (const auto steps = timedBy(instr)) emitLap(c.m, c.b, c.param(kEnv), *steps);
}

}  // namespace strc::codegen
