// Contractions of a body that a library does.

#include "base/pass.h"
#include "codegen/detail/body_emitter.h"
#include "kernels/choice.h"

namespace strc::codegen {

void BodyEmitter::chooseKernels() {
    if (!m.options.kernels) return;
    std::string text;
    std::optional<base::PassRun> run;
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) {
            if (instr.op != Op::Contract) continue;
            if (!run) run.emplace(m.passes, base::Pass::Kernels, function->getName().str());
            if (!*run) return;
            const kernels::Chosen chosen =
                kernels::choose(body, code, instr, m.options.kernels->choice);
            text += kernels::print(chosen) + '\n';
            if (chosen.provider != kernels::Provider::Generated)
                products.kernels.emplace(&instr,
                                         m.kernelTable.add(m, *chosen.what, chosen.weights));
        }
    if (run) run->show([&] { return text; });
}

}  // namespace strc::codegen
