#include "elab/inline_functions.h"

#include "base/pass.h"
#include "ir/calls.h"
#include "ir/inline.h"
#include "ir/text.h"

namespace strc::elab {

std::optional<Elaboration> inlineFunctions(base::Context& context, const ir::Module& module,
                                           const Elaboration& program) {
    base::Timing timing(context.passes, base::Pass::Inline);
    if (!context.passes.isEnabled(base::Pass::Inline)) return std::nullopt;
    std::optional<Elaboration> made;
    for (std::size_t k = 0; k < program.kernels.size(); ++k) {
        const ir::StreamCode& code = program.kernels[k].code;
        if (!code.work || ir::calleesOf(*code.work).empty()) continue;
        ir::Body work = *code.work;
        if (ir::inlineCalls(module, code, work) == 0) continue;
        base::PassRun run(context.passes, base::Pass::Inline,
                          code.name.empty() ? "filter" : code.name);
        if (!run) continue;
        run.show([&] { return ir::print(work); });
        if (!made) made = program;
        made->kernels[k].code.work = std::move(work);
    }
    return made;
}

}  // namespace strc::elab
