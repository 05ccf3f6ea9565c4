#include "types/tensor_elements.h"

#include "strc/tensor_elements.h"
#include "types/tensor_text.h"

namespace strc::types {
namespace {

const strc_element_row& rowOf(TypeKind element) { return strc_elements[elementOf(element)]; }

}  // namespace

std::uint32_t safetensorsType(TypeKind element) { return rowOf(element).safe_type; }

std::optional<TypeKind> ofSafetensors(std::uint32_t type) {
    for (TypeKind kind : kElements)
        if (rowOf(kind).safe_type == type) return kind;
    return std::nullopt;
}

bool isNarrow(TypeKind element) {
    return element == TypeKind::Int8 || element == TypeKind::Half || element == TypeKind::BFloat16;
}

}  // namespace strc::types
