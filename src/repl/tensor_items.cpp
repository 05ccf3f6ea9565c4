#include "repl/detail/tensor_items.h"

#include "io/tensors.h"
#include "types/tensor_text.h"

namespace strc::repl {

using types::Type;
using types::Value;

Value fromItem(const Value& item, const Type* tensor) {
    return {tensor, item.bytes.substr(static_cast<std::size_t>(types::offsetIn(item.type, tensor)),
                                      static_cast<std::size_t>(types::sizeOf(tensor)))};
}

std::optional<std::string> toItems(const session::Held& value,
                                   const std::vector<const Type*>& tensors, std::uint64_t next,
                                   const Type* memory, types::TypeTable& types) {
    const Type* first = tensors[next % tensors.size()];
    if (io::itemIn(tensorType(value, types), first, types) != first) return std::nullopt;
    const auto size = static_cast<std::size_t>(types::sizeOf(first));
    const std::size_t count = value.bytes.size() / size;
    if (count > 1 && tensors.size() > 1) return std::nullopt;
    const auto itemSize = static_cast<std::size_t>(types::sizeOf(memory));
    const auto offset = static_cast<std::size_t>(types::offsetIn(memory, first));
    std::string items(count * itemSize, '\0');
    for (std::size_t k = 0; k < count; ++k)
        items.replace(k * itemSize + offset, size, value.bytes, k * size, size);
    return items;
}

const Type* tensorType(const session::Held& tensor, types::TypeTable& types) {
    return types.tensor(types.scalar(*tensor.element), tensor.dims);
}

std::string shapeText(const Type* tensor) {
    std::string text;
    for (std::int64_t extent : tensor->dims)
        text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text + ":" + types::toString(tensor->element);
}

}  // namespace strc::repl
