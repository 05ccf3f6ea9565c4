// The pass `bounds-check-elimination`: which checks of a kernel's bodies cannot fail, in any of its instances.

#include "base/pass.h"
#include "codegen/detail/module_builder.h"

namespace strc::codegen {
namespace {

ir::BoundsInput boundsOf(const elab::Kernel& kernel) {
    ir::BoundsInput input;
    input.constants = kernel.constants;
    input.workPeek = kernel.work.peek.max;
    input.preworkPeek = (kernel.prework ? *kernel.prework : kernel.work).peek.max;
    return input;
}

}  // namespace

const ir::Proofs& ModuleBuilder::proofs(KernelFunctions& made) {
    static const ir::Proofs none;
    if (!made.kernel || !options.checks) return none;
    if (made.proofs) return *made.proofs;
    made.proofs.emplace();
    const ir::StreamCode& code = made.kernel->code;
    if (!ir::hasChecks(code)) return *made.proofs;
    base::PassRun run(passes, base::Pass::BoundsCheckElimination,
                      code.name.empty() ? "filter" : code.name);
    if (!run) return *made.proofs;
    ir::BoundsInput input = boundsOf(*made.kernel);
    if (!initialFields) initialFields.emplace(*plan.program);
    input.fields =
        initialFields->of(static_cast<graph::KernelId>(made.kernel - plan.program->kernels.data()));
    made.proofs = ir::proveBounds(code, input);
    run.show([&] { return ir::print(code, *made.proofs); });
    return *made.proofs;
}

}  // namespace strc::codegen
