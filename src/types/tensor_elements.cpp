#include "types/tensor_elements.h"

#include <cstdint>

#include "base/assert.h"
#include "strc/tensor_elements.h"
#include "strc/values.h"
#include "types/tensor_text.h"

namespace strc::types {
namespace {

const strc_element_row& rowOf(TypeKind element) { return strc_elements[elementOf(element)]; }

const unsigned char* in(const std::byte* bytes) {
    return reinterpret_cast<const unsigned char*>(bytes);
}
unsigned char* in(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

}  // namespace

std::size_t bytesOutside(TypeKind element) { return rowOf(element).file_size; }

std::uint32_t safetensorsType(TypeKind element) { return rowOf(element).safe_type; }

std::optional<TypeKind> ofSafetensors(std::uint32_t type) {
    for (TypeKind kind : kElements)
        if (rowOf(kind).safe_type == type) return kind;
    return std::nullopt;
}

bool isWidened(TypeKind element) { return inMemory(element) != element; }

void widen(TypeKind element, std::size_t count, std::byte* to, const std::byte* from) {
    strc_widen(elementOf(element), in(to), in(from), count);
}

void narrow(TypeKind element, std::size_t count, std::byte* to, const std::byte* from) {
    strc_narrow(elementOf(element), in(to), in(from), count);
}

}  // namespace strc::types
