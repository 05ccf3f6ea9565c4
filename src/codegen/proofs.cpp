// The pass `bounds-check-elimination`: which checks of a kernel's bodies cannot fail, in any of its instances.

#include <cstring>

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

/// What int fields hold after `init`, in one instance or another. Nothing is known before if it runs
/// only when the program starts.
std::vector<std::optional<ir::Range>> ModuleBuilder::initialFields(const elab::Kernel& kernel) {
    std::vector<std::optional<ir::Range>> fields(kernel.fieldTypes.size());
    if (kernel.code.startsLate) return fields;
    if (instances.empty()) {
        instances.resize(plan.program->kernels.size());
        for (graph::NodeId id = 0; id < plan.program->graph.nodes.size(); ++id)
            if (const auto of = plan.program->graph.nodes[id].kernel; of != graph::kNone)
                instances[of].push_back(id);
    }
    const auto index = static_cast<std::size_t>(&kernel - plan.program->kernels.data());
    for (std::size_t k = 0; k < fields.size(); ++k) {
        if (!kernel.fieldTypes[k]->is(TypeKind::Int)) continue;
        for (graph::NodeId id : instances[index]) {
            std::int32_t value = 0;
            const std::string& state = *plan.program->states[id];
            std::memcpy(&value, state.data() + kernel.fieldOffsets[k], sizeof value);
            const ir::Range range{value, value};
            fields[k] = fields[k] ? ir::Range{std::min(fields[k]->min, range.min),
                                              std::max(fields[k]->max, range.max)}
                                  : range;
        }
    }
    return fields;
}

const ir::Proofs& ModuleBuilder::proofs(KernelFunctions& made) {
    static const ir::Proofs none;
    if (!made.kernel || !options.checks || made.kernel->horizontal) return none;
    if (made.proofs) return *made.proofs;
    made.proofs.emplace();
    const ir::StreamCode& code = made.kernel->code;
    if (!ir::hasChecks(code)) return *made.proofs;
    base::PassRun run(passes, base::Pass::BoundsCheckElimination,
                      code.name.empty() ? "filter" : code.name);
    if (!run) return *made.proofs;
    ir::BoundsInput input = boundsOf(*made.kernel);
    input.fields = initialFields(*made.kernel);
    made.proofs = ir::proveBounds(code, input);
    run.show([&] { return ir::print(code, *made.proofs); });
    return *made.proofs;
}

}  // namespace strc::codegen
