// Arrays that lie in the windows of a firing.

#include "base/pass.h"
#include "codegen/detail/body_emitter.h"

namespace strc::codegen {

void BodyEmitter::aliasItems() {
    const bool isFiring = body.kind == ir::BodyKind::Work || body.kind == ir::BodyKind::Prework;
    if (!isFiring || queued || hasVectors || variant || m.debug || usesRings() || checkPops || checkPushes)
        return;
    ir::ItemAliases found = ir::findItemAliases(body);
    for (std::uint32_t k = 0; k < body.locals.size(); ++k)
        if (found.locals.contains(k) && spareBytes(k) != 0) {
            found.locals.erase(k);
            found.moves.erase(k);
        }
    if (found.locals.empty()) return;
    base::PassRun run(m.passes, base::Pass::CopyElision, function->getName().str());
    if (!run) return;
    items = std::move(found);
    for (const auto& [local, place] : items.locals) {
        const unsigned side = place.isOutput ? kOut : kIn;
        const auto index = static_cast<std::uint64_t>(place.index);
        const auto bytes = static_cast<std::uint64_t>(types::sizeOf(body.locals[local].type));
        llvm::Value*& memory = locals[local].memory;
        if (place.isOutput ? kernel.dealtOut : kernel.dealtIn)
            memory = entry.CreateLoad(
                m.ptr(), entry.CreateConstInBoundsGEP1_64(m.ptr(), param(side), index));
        else
            memory = entry.CreateConstInBoundsGEP1_64(m.i8(), param(side), index * bytes);
    }
    run.show([&] {
        std::string text;
        for (const auto& [local, place] : items.locals)
            text += "local " + std::to_string(local) + " is " +
                    (place.isOutput ? "pushed item " : "popped item ") +
                    std::to_string(place.index) + "\n";
        return text;
    });
}

}  // namespace strc::codegen
