#include "types/tensor_text.h"

#include "base/assert.h"
#include "strc/values.h"

namespace strc::types {

std::int64_t elementOf(TypeKind element) {
    switch (element) {
        case TypeKind::Boolean: return STRC_ELEMENT_BOOLEAN;
        case TypeKind::Int: return STRC_ELEMENT_INT;
        case TypeKind::Long: return STRC_ELEMENT_LONG;
        case TypeKind::Float: return STRC_ELEMENT_FLOAT;
        case TypeKind::Double: return STRC_ELEMENT_DOUBLE;
        case TypeKind::Int8: return STRC_ELEMENT_INT8;
        case TypeKind::Half: return STRC_ELEMENT_HALF;
        case TypeKind::BFloat16: return STRC_ELEMENT_BFLOAT16;
        default: STRC_UNREACHABLE("an element that nobody computes with");
    }
}

std::vector<std::int64_t> shapeOf(const Type* tensor) {
    std::vector<std::int64_t> shape{elementOf(tensor->element->kind),
                                    static_cast<std::int64_t>(tensor->dims.size())};
    shape.insert(shape.end(), tensor->dims.begin(), tensor->dims.end());
    return shape;
}

const Type* ofShape(const std::int64_t* shape, TypeTable& types) {
    for (TypeKind kind : kElements)
        if (elementOf(kind) == shape[0])
            return types.tensor(types.scalar(kind), {shape + 2, shape + 2 + shape[1]});
    STRC_UNREACHABLE("an element that nobody computes with");
}

std::int64_t offsetIn(const Type* item, const Type* tensor) {
    if (!item->is(TypeKind::Struct)) return 0;
    const TypeKind wanted = tensor->element->kind;
    for (const StructField& field : item->structure->fields)
        if (field.type->element->is(wanted)) return field.offset;
    STRC_UNREACHABLE("a tensor that the channel is not for");
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
