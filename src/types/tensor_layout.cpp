#include "types/tensor_layout.h"

#include "base/assert.h"
#include "strc/dlpack.h"
#include "types/tensor_text.h"

namespace strc::types {
namespace {

std::uint8_t codeOf(TypeKind inMemory) {
    switch (inMemory) {
        case TypeKind::Boolean: return kDLBool;
        case TypeKind::Int:
        case TypeKind::Long: return kDLInt;
        case TypeKind::Float:
        case TypeKind::Double: return kDLFloat;
        default: STRC_UNREACHABLE("an element that nobody computes with");
    }
}

std::uint8_t bitsOf(TypeKind inMemory) {
    switch (inMemory) {
        case TypeKind::Boolean: return 8;
        case TypeKind::Long:
        case TypeKind::Double: return 64;
        default: return 32;
    }
}

}  // namespace

TensorLayout layoutOf(const Type* tensor) {
    const TypeKind element = inMemory(tensor->element->kind);
    TensorLayout layout{codeOf(element), bitsOf(element), tensor->dims, tensor->dims};
    std::int64_t step = 1;
    for (std::size_t k = tensor->dims.size(); k-- > 0; step *= tensor->dims[k])
        layout.strides[k] = step;
    return layout;
}

}  // namespace strc::types
