#pragma once
/// The memory of tensors that come along channels.

#include <map>
#include <set>
#include <vector>

#include "base/names.h"
#include "types/type.h"

namespace strc::tensor {

using types::Type;

/// The memory of a tensor: an array of one dimension.
const Type* storageOf(const Type* tensor, types::TypeTable&);

/// The memory of items that may be any of several tensors: an array as large as the largest; of tensors whose
/// elements are not of one type a structure with an array for each type. Equal for equal tensors.
class Storages {
public:
    /// `name`: what the structures are called.
    Storages(types::TypeTable& table, base::Name name) : types(table), name(name) {}
    const Type* of(const std::set<const Type*>& tensors);

private:
    types::TypeTable& types;
    base::Name name;
    std::map<std::vector<const Type*>, const Type*> made;  ///< by the arrays
};

/// The field of a structure that has the tensor.
std::uint32_t fieldOf(const Type* structure, const Type* tensor, types::TypeTable&);

}  // namespace strc::tensor
