#include "lowered/detail/rates.h"

#include "ir/count_items.h"

namespace strc::lowered {
namespace {

constexpr std::uint64_t kCountingSteps = 1'000'000;

Unproved unproved(const ir::Module& module, const elab::Kernel& kernel, const ir::Body& body,
                  const graph::Rates& rates) {
    const ir::ItemCounts counts =
        ir::countItems(module, kernel.code, body, kCountingSteps, ir::Counting::Whole);
    return {!counts.pops.isExact() || counts.pops.min != rates.pop.max,
            !counts.pushes.isExact() || counts.pushes.min != rates.push.max};
}

ir::Proofs proofsOf(const elab::Kernel& kernel, std::vector<std::optional<ir::Range>> fields) {
    ir::BoundsInput input;
    input.constants = kernel.constants;
    input.fields = std::move(fields);
    input.workPeek = kernel.work.peek.max;
    input.preworkPeek = (kernel.prework ? *kernel.prework : kernel.work).peek.max;
    return ir::proveBounds(kernel.code, input);
}

}  // namespace

RateProofs::RateProofs(const ir::Module& module, const elab::Elaboration& program)
    : works(program.kernels.size()), preworks(works.size()), inside(works.size()) {
    const elab::InitialFields initial(program);
    for (graph::KernelId id = 0; id < program.kernels.size(); ++id) {
        const elab::Kernel& kernel = program.kernels[id];
        if (kernel.builtin != ir::BuiltinStream::None || !kernel.code.work) continue;
        works[id] = unproved(module, kernel, *kernel.code.work, kernel.work);
        if (kernel.code.prework)
            preworks[id] = unproved(module, kernel, *kernel.code.prework, *kernel.prework);
        inside[id] = proofsOf(kernel, initial.of(id));
    }
}

}  // namespace strc::lowered
