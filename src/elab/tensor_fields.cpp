#include "elab/detail/tensor_fields.h"

#include <cstring>

namespace strc::elab {
namespace {

using types::Type;

std::shared_ptr<const std::byte> copyOf(const std::byte* from, std::size_t size) {
    std::shared_ptr<std::byte[]> made(new std::byte[size + 1]);  // each has a place of its own
    std::memcpy(made.get(), from, size);
    return {made, made.get()};
}

}  // namespace

void storeConstants(eval::Instance& run, ir::StreamCode& code, tensor::Fields& fields,
                    types::TypeTable& types) {
    std::vector<std::byte> state;
    for (std::size_t k = 0; k < run.fieldTypes.size(); ++k) {
        const std::byte* from = run.state.data() + run.fieldOffsets[k];
        if (fields.types[k] && fields.isConstant[k] && fields.stored[k] == ir::kNone) {
            const auto size = static_cast<std::size_t>(types::sizeOf(run.fieldTypes[k]));
            fields.stored[k] = static_cast<std::uint32_t>(code.stored.size());
            code.stored.push_back(
                {code.fields[k].name, run.fieldTypes[k], copyOf(from, size), false});
            run.fieldTypes[k] = types.array(run.fieldTypes[k]->element, 0);
        }
        const auto align = static_cast<std::size_t>(types::alignOf(run.fieldTypes[k]));
        const std::size_t offset = (state.size() + align - 1) / align * align;
        state.resize(offset + static_cast<std::size_t>(types::sizeOf(run.fieldTypes[k])));
        std::memcpy(state.data() + offset, from, state.size() - offset);
        run.fieldOffsets[k] = static_cast<std::int64_t>(offset);
    }
    run.state = std::move(state);
}

}  // namespace strc::elab
