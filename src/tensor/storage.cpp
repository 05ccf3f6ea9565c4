#include "tensor/storage.h"

#include <algorithm>

#include "base/assert.h"
#include "types/tensor_text.h"

namespace strc::tensor {

using types::TypeKind;

const Type* storageOf(const Type* tensor, types::TypeTable& types) {
    const std::int64_t count = countElements(tensor);
    return types.array(types.scalar(tensor->element->kind), count);
}

const Type* Storages::of(const std::set<const Type*>& tensors) {
    std::map<TypeKind, const Type*> largest;  // in an order that does not depend on addresses
    for (const Type* tensor : tensors) {
        const Type* array = storageOf(tensor, types);
        const Type*& known = largest[array->element->kind];
        if (!known || array->extent > known->extent) known = array;
    }
    if (largest.size() == 1) return largest.begin()->second;
    std::vector<const Type*> arrays;
    for (const auto& [kind, array] : largest) arrays.push_back(array);
    const Type*& structure = made[arrays];
    if (structure) return structure;
    structure = types.structure(name, {});
    for (const Type* array : arrays) structure->structure->fields.push_back({name, array, 0, {}});
    types.complete(*structure->structure);
    return structure;
}

std::uint32_t fieldOf(const Type* structure, const Type* tensor, types::TypeTable& types) {
    const Type* element = storageOf(tensor, types)->element;
    const auto& fields = structure->structure->fields;
    const auto found = std::find_if(
        fields.begin(), fields.end(),
        [&](const types::StructField& field) { return field.type->element == element; });
    STRC_ASSERT(found != fields.end(), "a tensor that the channel is not for");
    return static_cast<std::uint32_t>(found - fields.begin());
}

}  // namespace strc::tensor
