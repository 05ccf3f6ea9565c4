// Arrays that lie in the windows of a firing.

#include "base/pass.h"
#include "codegen/detail/body_emitter.h"

namespace strc::codegen {

void BodyEmitter::placeItems() {
    const bool isFiring = body.kind == ir::BodyKind::Work || body.kind == ir::BodyKind::Prework;
    if (!isFiring || queued || lanes || m.debug || usesRings() || checkPops || checkPushes) return;
    ir::ItemPlaces found = ir::findItemPlaces(body);
    std::erase_if(found.locals, [this](const auto& place) { return spareBytes(place.first) != 0; });
    if (found.locals.empty()) return;
    base::PassRun run(m.passes, base::Pass::ItemsInPlace, function.getName().str());
    if (!run) return;
    for (const auto& [local, place] : found.locals) {
        locals[local].memory = windowItem(place, body.locals[local].type);
        itemMoves.insert(found.moves.at(local));
    }
    run.show([&] {
        std::string text;
        for (const auto& [local, place] : found.locals)
            text += "local " + std::to_string(local) + " is " +
                    (place.isOutput ? "pushed item " : "popped item ") +
                    std::to_string(place.index) + "\n";
        return text;
    });
}

llvm::Value* BodyEmitter::windowItem(const ir::ItemPlace& place, const Type* type) {
    const unsigned side = place.isOutput ? kOut : kIn;
    const auto index = static_cast<std::uint64_t>(place.index);
    if (place.isOutput ? kernel.dealtOut : kernel.dealtIn)
        return entry.CreateLoad(m.ptr(),
                                entry.CreateConstInBoundsGEP1_64(m.ptr(), param(side), index));
    const auto bytes = static_cast<std::uint64_t>(types::sizeOf(type));
    return entry.CreateConstInBoundsGEP1_64(m.i8(), param(side), index * bytes);
}

}  // namespace strc::codegen
