#include "codegen/detail/laps.h"

#include <algorithm>

#include "plan/marks.h"
#include "plan/work.h"

namespace strc::codegen {
namespace {

using plan::Step;
using plan::StepKind;

/// Steps of loops that are longer on average are timed each: some 400 ns.
constexpr double kLongStep = 4000;

plan::TimedSteps timedSteps(std::span<const Step> steps) {
    plan::TimedSteps made;
    for (const auto& [node, firings] : plan::firingsOf({steps.begin(), steps.end()}))
        made.push_back({node, firings});
    return made;
}

}  // namespace

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
    if (first.kind == StepKind::Loop && !isTimedAsWhole(first)) return;
    ModuleBuilder& m = c.m;
    llvm::IRBuilder<>& b = c.b;
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(m.i8(), c.env(), offsetof(strc_env, timing));
    llvm::Value* timing = b.CreateLoad(m.ptr(), place);
    auto* lap = llvm::BasicBlock::Create(m.context, "lap", c.function);
    auto* on = llvm::BasicBlock::Create(m.context, "on", c.function);
    b.CreateCondBr(b.CreateIsNotNull(timing), lap, on,
                   llvm::MDBuilder(m.context).createUnlikelyBranchWeights());
    b.SetInsertPoint(lap);
    b.CreateCall(m.runtime("strc_lap"),
                 {c.env(), b.getInt32(static_cast<std::uint32_t>(m.lap(timedSteps(steps))))});
    b.CreateBr(on);
    b.SetInsertPoint(on);
}

Laps::Inside::Inside(Laps& laps, const Step& loop)
    : laps(laps), isWhole(laps.isOn && laps.isTimedAsWhole(loop)) {
    if (isWhole) ++laps.wholes;
}

Laps::Inside::~Inside() {
    if (isWhole) --laps.wholes;
}

}  // namespace strc::codegen
