#include "types/tensor_layout.h"

#include "base/assert.h"
#include "strc/dlpack.h"

namespace strc::types {
namespace {

std::uint8_t codeOf(TypeKind element) {
    switch (element) {
        case TypeKind::Boolean: return kDLBool;
        case TypeKind::Int8:
        case TypeKind::Int:
        case TypeKind::Long: return kDLInt;
        case TypeKind::BFloat16: return kDLBfloat;
        case TypeKind::Half:
        case TypeKind::Float:
        case TypeKind::Double: return kDLFloat;
        default: STRC_UNREACHABLE("an element that nobody computes with");
    }
}

}  // namespace

TensorLayout layoutOf(const Type* tensor) {
    const auto bits = static_cast<std::uint8_t>(8 * sizeOf(tensor->element));
    TensorLayout layout{codeOf(tensor->element->kind), bits, tensor->dims, tensor->dims};
    std::int64_t step = 1;
    for (std::size_t k = tensor->dims.size(); k-- > 0; step *= tensor->dims[k])
        layout.strides[k] = step;
    return layout;
}

}  // namespace strc::types
