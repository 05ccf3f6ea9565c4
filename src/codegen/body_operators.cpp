// Contractions of a body that a library does.

#include "base/pass.h"
#include "codegen/detail/body_emitter.h"
#include "operators/choice.h"

namespace strc::codegen {

void BodyEmitter::chooseOperators() {
    if (!m.options.kernels) return;
    std::string text;
    std::optional<base::PassRun> run;
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) {
            if (instr.op != Op::Contract) continue;
            if (!run)
                run.emplace(m.passes, base::Pass::LibraryOperators, function->getName().str());
            if (!*run) return;
            const operators::Chosen chosen =
                operators::choose(body, code, instr, m.options.kernels->choice);
            text += operators::print(chosen) + '\n';
            if (chosen.provider != operators::Provider::Generated)
                products.kernels.emplace(&instr,
                                         m.operatorTable.add(m, *chosen.what, chosen.weights));
        }
    if (run) run->show([&] { return text; });
}

}  // namespace strc::codegen
