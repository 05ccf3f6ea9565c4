// Arrays that lie in the windows of a firing.

#include "base/pass.h"
#include "codegen/detail/if_conversion.h"
#include "codegen/detail/tapes.h"

namespace strc::codegen {

void aliasItems(BodyContext& c) {
    const bool isFiring = c.body.kind == ir::BodyKind::Work || c.body.kind == ir::BodyKind::Prework;
    if (!isFiring || c.queued || c.hasVectors || c.variant || c.m.debug || c.usesRings() ||
        c.rateChecks.pops || c.rateChecks.pushes)
        return;
    ir::ItemAliases found = ir::findItemAliases(c.body);
    for (std::uint32_t k = 0; k < c.body.locals.size(); ++k)
        if (found.locals.contains(k) && spareBytes(c, k) != 0) {
            found.locals.erase(k);
            found.moves.erase(k);
        }
    if (found.locals.empty()) return;
    base::PassRun run(c.m.passes, base::Pass::CopyElision, c.function->getName().str());
    if (!run) return;
    c.items = std::move(found);
    for (const auto& [local, place] : c.items.locals) {
        const unsigned side = place.isOutput ? kOut : kIn;
        const auto index = static_cast<std::uint64_t>(place.index);
        const auto bytes = static_cast<std::uint64_t>(types::sizeOf(c.body.locals[local].type));
        llvm::Value*& memory = c.locals[local].memory;
        if (place.isOutput ? c.kernel.dealtOut : c.kernel.dealtIn)
            memory = c.entry.CreateLoad(
                c.m.ptr(), c.entry.CreateConstInBoundsGEP1_64(c.m.ptr(), c.param(side), index));
        else
            memory = c.entry.CreateConstInBoundsGEP1_64(c.m.i8(), c.param(side), index * bytes);
    }
    run.show([&] {
        std::string text;
        for (const auto& [local, place] : c.items.locals)
            text += "local " + std::to_string(local) + " is " +
                    (place.isOutput ? "pushed item " : "popped item ") +
                    std::to_string(place.index) + "\n";
        return text;
    });
}

}  // namespace strc::codegen
