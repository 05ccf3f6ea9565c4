// Which checks of rates a body needs.

#include <algorithm>

#include "base/pass.h"
#include "codegen/detail/tapes.h"
#include "graph/rates.h"
#include "ir/count_items.h"

namespace strc::codegen {
namespace {

constexpr std::uint64_t kCountingSteps = 1'000'000;

ir::ItemCounts counted(const BodyContext& c, const ir::Body& firing) {
    return ir::countItems(c.m.program, *c.code, firing, kCountingSteps, ir::Counting::Whole);
}

/// Of the kernel's own work or prework, for which each of its functions asks.
const ir::ItemCounts& knownCounts(BodyContext& c, const ir::Body& firing) {
    auto [known, isNew] = c.kernel.counts.try_emplace(&firing);
    if (isNew) known->second = counted(c, firing);
    return known->second;
}

void proveRates(BodyContext& c) {
    bool isPrework = c.body.kind == ir::BodyKind::Prework;
    c.rates =
        isPrework && c.kernel.kernel->prework ? *c.kernel.kernel->prework : c.kernel.kernel->work;
    if (c.kernel.kernel->blocks && &c.body == &c.kernel.kernel->blocks->work)
        c.rates = c.kernel.kernel->blocks->rates;
    c.queued = isDynamic(*c.kernel.kernel);
    if (c.queued) c.rateChecks.pops = c.rateChecks.pushes = true;
    auto look = [&](const ir::ItemCounts& counts, const graph::Rates& declared) {
        if (!counts.pops.isExact() || counts.pops.min != declared.pop.max) c.rateChecks.pops = true;
        if (!counts.pushes.isExact() || counts.pushes.min != declared.push.max)
            c.rateChecks.pushes = true;
    };
    if (!c.isFunction()) {
        if (!c.queued) look(counted(c, c.body), c.rates);
        return;
    }
    // A function is called from either, and counts as part of the firing.
    if (!c.queued) look(knownCounts(c, *c.code->work), c.kernel.kernel->work);
    auto widen = [](graph::Rate& rate, const graph::Rate& other) {
        const bool isBounded = rate.max != graph::kUnbounded && other.max != graph::kUnbounded;
        rate.max = isBounded ? std::max(rate.max, other.max) : graph::kUnbounded;
        rate.dynamic = rate.dynamic || other.dynamic;
    };
    auto widenBy = [&](const graph::Rates& other) {
        widen(c.rates.pop, other.pop);
        widen(c.rates.peek, other.peek);
        widen(c.rates.push, other.push);
    };
    if (c.kernel.kernel->blocks) widenBy(c.kernel.kernel->blocks->rates);
    if (c.m.plan.before && c.m.plan.chunk)
        widenBy(graph::times(c.kernel.kernel->work, c.m.plan.chunk->iterations));
    if (!c.code->prework) return;
    if (!c.queued) look(knownCounts(c, *c.code->prework), *c.kernel.kernel->prework);
    widenBy(*c.kernel.kernel->prework);
}

}  // namespace

void chooseRateChecks(BodyContext& c) {
    if (!c.code || !c.kernel.kernel) return;
    if (c.variant) {
        c.rates = c.kernel.kernel->work;
        c.rateChecks.pops = c.rateChecks.pushes = false;
        return;
    }
    if (c.body.kind == ir::BodyKind::Setup || c.body.kind == ir::BodyKind::Init) {
        c.rateChecks.pops = c.rateChecks.pushes = false;
        return;
    }
    base::PassRun run(c.m.passes, base::Pass::RateCheckElimination, c.function->getName().str());
    c.rateChecks.pops = c.rateChecks.pushes = !run;
    proveRates(c);
    run.show([&c] {
        return std::string("pops ") + (c.rateChecks.pops ? "checked" : "proved") + ", pushes " +
               (c.rateChecks.pushes ? "checked" : "proved") + "\n";
    });
}

}  // namespace strc::codegen
