#pragma once
/// The text of tensors, the same in all engines: as NumPy shows them.

#include <string>
#include <vector>

#include "types/type.h"

namespace strc::types {

/// What the runtime wants to know of a concrete tensor (strc/values.h): its type of elements, the number
/// of its dimensions, their extents.
std::vector<std::int64_t> shapeOf(const Type* tensor);

/// `elements`: as they lie in memory, row by row.
std::string toString(const Type* tensor, const void* elements);

}  // namespace strc::types
