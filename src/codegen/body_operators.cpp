// Contractions of a body that a library does.

#include "base/pass.h"
#include "codegen/detail/body_products.h"
#include "operators/choice.h"

namespace strc::codegen {

void chooseOperators(BodyContext& c) {
    if (!c.m.options.kernels) return;
    std::string text;
    std::optional<base::PassRun> run;
    for (const ir::Block& block : c.body.blocks)
        for (const Instr& instr : block.instrs) {
            if (instr.op != Op::Contract) continue;
            if (!run)
                run.emplace(c.m.passes, base::Pass::LibraryOperators, c.function->getName().str());
            if (!*run) return;
            const operators::Chosen chosen =
                operators::choose(c.body, c.code, instr, c.m.options.kernels->choice);
            text += operators::print(chosen) + '\n';
            if (chosen.provider != operators::Provider::Generated)
                c.products.kernels.emplace(
                    &instr, c.m.operatorTable.add(c.m, *chosen.what, chosen.weights));
        }
    if (run) run->show([&] { return text; });
}

}  // namespace strc::codegen
