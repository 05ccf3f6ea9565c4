// Asks the passes of src/vector for what code is made of.

#include "codegen/detail/variants.h"

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/module_builder.h"
#include "ir/count_items.h"
#include "ir/text.h"
#include "vector/firings.h"
#include "vector/loops.h"

namespace strc::codegen {
namespace {

constexpr std::uint64_t kCountingSteps = 1'000'000;

const graph::Rates& ratesOf(const elab::Kernel& kernel, const ir::Body& body) {
    return kernel.blocks && &body == &kernel.blocks->work ? kernel.blocks->rates : kernel.work;
}

struct RateProofs {
    bool pops = true, pushes = true;
};

RateProofs proveRates(ModuleBuilder& m, const elab::Kernel& kernel, const ir::Body& body,
                      const std::string& subject) {
    if (!m.options.checks) return {};
    if (!base::PassRun(m.passes, base::Pass::RateCheckElimination, subject)) return {false, false};
    const ir::ItemCounts counts =
        ir::countItems(m.program, kernel.code, body, kCountingSteps, ir::Counting::Whole);
    const graph::Rates& rates = ratesOf(kernel, body);
    return {counts.pops.isExact() && counts.pops.min == rates.pop.max,
            counts.pushes.isExact() && counts.pushes.min == rates.push.max};
}

std::function<bool(const ir::Instr&)> safety(ModuleBuilder& m, KernelFunctions& made) {
    const ir::Proofs& proofs = m.proofs(made);
    return [&proofs, hasNone = !m.options.checks](const ir::Instr& i) {
        return hasNone || proofs.contains(&i);
    };
}

vector::FiringFacts factsOf(ModuleBuilder& m, KernelFunctions& made) {
    const elab::Kernel& kernel = *made.kernel;
    const std::string subject = made.work->getName().str();
    const RateProofs proofs = proveRates(m, kernel, *kernel.code.work, subject);
    return {kernel.input,  kernel.output,   kernel.work,  proofs.pops,
            proofs.pushes, safety(m, made), made.dealtIn, made.state};
}

}  // namespace

/// Counters, generators of random numbers and the like are the only state that several firings at once may have.
void prepareFirings(ModuleBuilder& m, KernelFunctions& made) {
    const elab::Kernel& kernel = *made.kernel;
    const ir::Body& work = *kernel.code.work;
    const std::string subject = made.work->getName().str();
    const std::optional<ir::SkippingFirings> skipping =
        ir::firingsThatSkipAhead(work, safety(m, made));
    if (skipping && m.options.level >= 2) {
        base::PassRun run(m.passes, base::Pass::SkipAhead, subject);
        if (run) {
            made.state = skipping->state;
            made.stateInLocals = skipping->body;
            made.varying = skipping->varying;
            run.show([&] { return ir::print(kernel.code, made.state); });
            return;
        }
    }
    made.varying = ir::findVarying(work);
}

VariantBody makeVariant(ModuleBuilder& m, KernelFunctions& made, const VariantShape& shape) {
    const vector::ItemParts parts{shape.partsComplex};
    const vector::FiringFacts facts = factsOf(m, made);
    if (shape.which == VectorVariant::Transpose)
        return {vector::transposeWindow(m.types, facts, shape.width, shape.repeat, parts), {kOut}};
    if (shape.which == VectorVariant::TransposeBack)
        return {vector::pushRows(m.types, facts, shape.width, shape.repeat, parts), {kIn}};
    vector::FiringShape how{.lanes = shape.width,
                            .takesColumns = shape.which != VectorVariant::Whole,
                            .inLength = shape.inLength,
                            .leavesRows = shape.which == VectorVariant::Soa,
                            .outLength = shape.outLength,
                            .partsComplex = shape.partsComplex};
    VariantBody result{vector::vectoriseFirings(m.types, made.firing(), *made.varying, facts, how),
                       {}};
    if (how.takesColumns) result.arguments.push_back(kIn);
    if (how.leavesRows) result.arguments.push_back(kOut);
    return result;
}

std::optional<ir::Body> vectoriseLoops(ModuleBuilder& m, KernelFunctions& made,
                                       const ir::Body& body, const std::string& subject) {
    if (!made.kernel || body.kind != ir::BodyKind::Work || isDynamic(*made.kernel) ||
        made.dealtIn || made.dealtOut || m.debug || m.options.level < 2 ||
        m.plan.tapes == plan::Tapes::Ring || !made.widths.empty())
        return std::nullopt;
    const elab::Kernel& kernel = *made.kernel;
    vector::LoopFacts facts;
    facts.input = kernel.input;
    facts.rates = ratesOf(kernel, body);
    facts.isSafe = safety(m, made);
    facts.isWanted = [&](const ir::VectorLoop& loop) {
        m.passes.show(base::Pass::VectoriseLoops, subject,
                      [&] { return ir::print(body, loop) + "\n"; });
        return static_cast<bool>(base::PassRun(m.passes, base::Pass::VectoriseLoops, subject));
    };
    return vector::vectoriseLoops(m.types, m.target(), body, facts);
}

}  // namespace strc::codegen
