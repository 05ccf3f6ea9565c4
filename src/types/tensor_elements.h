#pragma once
/// Elements of tensors as files have them; they lie in memory as they do there.

#include <cstdint>
#include <optional>

#include "types/type.h"

namespace strc::types {

/// The strc_safe_type of such elements in a safetensors file, and back; empty: tensors have no such elements.
std::uint32_t safetensorsType(TypeKind element);
std::optional<TypeKind> ofSafetensors(std::uint32_t type);

/// int8, half and bfloat16: elements that no scalar of the language has. They are computed with as int, float and float.
bool isNarrow(TypeKind element);

}  // namespace strc::types
