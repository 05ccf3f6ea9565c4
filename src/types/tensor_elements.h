#pragma once
/// Elements of tensors as the world has them, in files and in the memory of other programs: half and bfloat16 in 2
/// bytes, int8 in one, all others as they lie in memory (types/tensor_text.h).

#include <cstddef>
#include <cstdint>
#include <optional>

#include "types/type.h"

namespace strc::types {

/// Bytes of an element there.
std::size_t bytesOutside(TypeKind element);

/// The strc_safe_type of such elements in a safetensors file, and back; empty: tensors have no such elements.
std::uint32_t safetensorsType(TypeKind element);
std::optional<TypeKind> ofSafetensors(std::uint32_t type);

/// Does the element have more bytes in memory than in files?
bool isWidened(TypeKind element);

/// `from` may be the end of the memory `to`.
void widen(TypeKind element, std::size_t count, std::byte* to, const std::byte* from);
/// The values are some that such elements have.
void narrow(TypeKind element, std::size_t count, std::byte* to, const std::byte* from);

}  // namespace strc::types
