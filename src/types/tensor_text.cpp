#include "types/tensor_text.h"

#include "base/assert.h"
#include "strc/values.h"

namespace strc::types {
namespace {

strc_element elementOf(const Type* element) {
    switch (element->kind) {
        case TypeKind::Boolean: return STRC_ELEMENT_BOOLEAN;
        case TypeKind::Int: return STRC_ELEMENT_INT;
        case TypeKind::Long: return STRC_ELEMENT_LONG;
        case TypeKind::Float: return STRC_ELEMENT_FLOAT;
        case TypeKind::Double: return STRC_ELEMENT_DOUBLE;
        default: STRC_UNREACHABLE("an element that nobody computes with");
    }
}

}  // namespace

std::vector<std::int64_t> shapeOf(const Type* tensor) {
    std::vector<std::int64_t> shape{elementOf(tensor->element),
                                    static_cast<std::int64_t>(tensor->dims.size())};
    shape.insert(shape.end(), tensor->dims.begin(), tensor->dims.end());
    return shape;
}

std::string toString(const Type* tensor, const void* elements) {
    std::string text;
    auto put = [](void* self, const char* piece, std::uint64_t size) {
        static_cast<std::string*>(self)->append(piece, size);
    };
    strc_text_of_tensor(shapeOf(tensor).data(), elements, put, &text);
    return text;
}

}  // namespace strc::types
