#include "pass/run.h"

#include <memory>
#include <utility>

#include "base/assert.h"
#include "ir/text.h"
#include "pass/verify.h"

namespace strc::pass {
namespace {

using base::PassLevel;

bool isDone(const Context& context, base::Pass id) {
    return base::info(id).kind == base::PassKind::Pass && context.passes().isEnabled(id);
}

/// One pass over one kernel. The pass asks first, so that the kernel of before is not needed again.
bool apply(const Context& context, const Row& row, elab::Kernel& kernel,
           const std::string& subject) {
    base::PassRun run(context.passes(), row.id, subject);
    if (!run || !row.onKernel(context, kernel)) return false;
    run.show([&] { return ir::print(*kernel.code.work); });
    return true;
}

const std::string& nameOf(const elab::Kernel& kernel) {
    static const std::string anonymous = "filter";
    return kernel.code.name.empty() ? anonymous : kernel.code.name;
}

bool concerns(const Row& row, const elab::Kernel& kernel) {
    return kernel.code.work && (!row.concerns || row.concerns(kernel));
}

/// A pass over all kernels with code.
std::optional<Program> overKernels(const Context& context, const Row& row, const Program& program) {
    base::Timing timing(context.passes(), row.id);
    std::optional<elab::Elaboration> made;
    for (std::size_t k = 0; k < program.elaboration->kernels.size(); ++k) {
        if (!concerns(row, program.elaboration->kernels[k])) continue;
        elab::Kernel kernel = program.elaboration->kernels[k];
        if (!apply(context, row, kernel, nameOf(kernel))) continue;
        if (!made) made = *program.elaboration;
        made->kernels[k] = std::move(kernel);
    }
    if (!made) return std::nullopt;
    return with(program, std::move(*made), program.repetitions);
}

std::optional<Program> overProgram(const Context& context, const Row& row, const Program& program) {
    base::Timing timing(context.passes(), row.id);
    return row.onProgram(context, program);
}

}  // namespace

std::optional<Program> runPasses(const Context& context, const Program& program, Table table) {
    std::optional<Program> made;
    for (const Row& row : table) {
        if (!isDone(context, row.id)) continue;
        const Program& before = made ? *made : program;
        std::optional<Program> after;
        if (row.onProgram)
            after = overProgram(context, row, before);
        else if (base::levelOf(row.id) == PassLevel::Kernel)
            after = overKernels(context, row, before);
        if (!after) continue;
        made = std::move(after);
#ifdef STRC_CHECKED
        const std::vector<std::string> faults = verify(context.module, *made);
        STRC_ASSERT(faults.empty(), std::string(base::info(row.id).name) + ": " + faults.front());
#endif
    }
    return made;
}

bool runPasses(const Context& context, elab::Kernel& kernel, PassLevel level, Table table,
               const std::string& subject) {
    bool changes = false;
    for (const Row& row : table)
        if (row.onKernel && base::levelOf(row.id) == level && isDone(context, row.id) &&
            concerns(row, kernel))
            changes |= apply(context, row, kernel, subject);
    return changes;
}

}  // namespace strc::pass
