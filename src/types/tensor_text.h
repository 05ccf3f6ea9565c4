#pragma once
/// The text of tensors, the same in all engines: as NumPy shows them.

#include <array>
#include <string>
#include <vector>

#include "types/type.h"

namespace strc::types {

/// The types that elements have, and the strc_element that the runtime knows each as.
inline constexpr std::array kElements{TypeKind::Boolean, TypeKind::Int,     TypeKind::Long,
                                      TypeKind::Float,   TypeKind::Double,  TypeKind::Int8,
                                      TypeKind::Half,    TypeKind::BFloat16};
std::int64_t elementOf(TypeKind);

/// A concrete tensor as the runtime describes it (strc/values.h): its type of elements, the number
/// of its dimensions, their extents.
std::vector<std::int64_t> shapeOf(const Type* tensor);
const Type* ofShape(const std::int64_t* shape, TypeTable&);

/// Where a tensor lies in an item: a structure has an array for each type of elements.
std::int64_t offsetIn(const Type* item, const Type* tensor);

/// `elements`: as they lie in memory, row by row.
std::string toString(const Type* tensor, const void* elements);

}  // namespace strc::types
