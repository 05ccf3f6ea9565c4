#include "dynamic_shapes/fields.h"

#include <algorithm>
#include <cstring>

namespace strc::dynamic_shapes {

using types::TypeKind;

void nameFields(const Fields& fields, const std::string& before,
                std::span<const ir::StoredArray> arrays, TensorHeap& heap,
                std::vector<std::byte>& state) {
    state.assign(static_cast<std::size_t>(fields.size), std::byte{});
    for (std::size_t k = 0; k < fields.types.size(); ++k) {
        const char* from = before.data() + fields.initialOffsets[k];
        std::byte* to = state.data() + fields.offsets[k];
        if (!fields.types[k]->is(TypeKind::Tensor)) {
            std::memcpy(to, from, static_cast<std::size_t>(types::sizeOf(fields.types[k])));
            continue;
        }
        if (!fields.tensors[k]) continue;
        const std::uint32_t stored = fields.stored[k];
        const auto* elements = reinterpret_cast<const std::byte*>(from);
        if (stored != ir::kNone) elements = arrays[stored].bytes.get();
        const TensorHandle name = heap.copyOf(fields.tensors[k], elements);
        std::memcpy(to, &name, sizeof name);
    }
}

void markFields(const Fields& fields, const std::vector<std::byte>& state,
                const TensorHeap::Mark& mark) {
    if (state.empty()) return;
    for (std::size_t k = 0; k < fields.types.size(); ++k) {
        if (!fields.types[k]->is(TypeKind::Tensor)) continue;
        TensorHandle name = 0;
        std::memcpy(&name, state.data() + fields.offsets[k], sizeof name);
        mark(name);
    }
}

std::string whyUnfit(const Type* declared, std::span<const Type* const> known, const Type* type) {
    const bool fits = types::compatible(declared, type);
    const bool isKnown =
        known.empty() || std::find(known.begin(), known.end(), type) != known.end();
    if (fits && isKnown) return {};
    const std::string comes = types::toString(type) + " comes where ";
    if (!fits) return comes + types::toString(declared) + " is declared";
    std::string all;
    for (const Type* each : known) all += (all.empty() ? "" : ", ") + types::toString(each);
    return comes + all + " was found";
}

}  // namespace strc::dynamic_shapes
