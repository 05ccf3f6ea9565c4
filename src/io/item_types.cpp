#include "io/item_types.h"

namespace strc::io {

using types::Type;
using types::TypeKind;

strc_kind kindOf(TypeKind kind) {
    switch (kind) {
        case TypeKind::Boolean: return STRC_BOOLEAN;
        case TypeKind::Bit: return STRC_BIT;
        case TypeKind::Int: return STRC_INT;
        case TypeKind::Long: return STRC_LONG;
        case TypeKind::Float: return STRC_FLOAT;
        case TypeKind::Double: return STRC_DOUBLE;
        case TypeKind::Complex: return STRC_COMPLEX;
        case TypeKind::Float2: return STRC_FLOAT2;
        case TypeKind::Float3: return STRC_FLOAT3;
        case TypeKind::Float4: return STRC_FLOAT4;
        case TypeKind::Array: return STRC_ARRAY;
        case TypeKind::Struct: return STRC_STRUCT;
        default: return STRC_OTHER;
    }
}

std::uint32_t ItemTypes::add(const Type* type) {
    if (auto known = numbers.find(type); known != numbers.end()) return known->second;
    strc_type row{};
    row.kind = kindOf(type->kind);
    row.size = static_cast<std::uint64_t>(types::sizeOf(type));
    if (type->is(TypeKind::Array)) {
        row.first = add(type->element);
        row.count = static_cast<std::uint64_t>(type->extent);
    } else if (type->is(TypeKind::Struct)) {
        std::vector<strc_field> own;
        for (const types::StructField& field : type->structure->fields)
            own.push_back({add(field.type), 0, static_cast<std::uint64_t>(field.offset)});
        row.first = static_cast<std::uint32_t>(fieldRows.size());
        row.count = own.size();
        fieldRows.insert(fieldRows.end(), own.begin(), own.end());
    }
    typeRows.push_back(row);
    return numbers[type] = static_cast<std::uint32_t>(typeRows.size()) - 1;
}

}  // namespace strc::io
