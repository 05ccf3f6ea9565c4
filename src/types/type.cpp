#include "types/type.h"

#include <algorithm>

#include "base/assert.h"

namespace strc::types {
namespace {

struct ScalarInfo {
    const char* name;
    std::int64_t size;
    std::int64_t align;
};

const ScalarInfo& scalarInfo(TypeKind kind) {
    static constexpr ScalarInfo table[] = {
        {"<error>", 0, 1}, {"void", 0, 1},   {"boolean", 1, 1}, {"bit", 1, 1},    {"int", 4, 4},
        {"float", 4, 4},   {"double", 8, 8}, {"complex", 8, 4}, {"float2", 8, 4}, {"float3", 12, 4},
        {"float4", 16, 4}, {"char", 1, 1},   {"String", 8, 8},  {"portal", 4, 4},
    };
    static_assert(std::size(table) == static_cast<int>(TypeKind::Portal) + 1);
    return table[static_cast<int>(kind)];
}

std::int64_t alignUp(std::int64_t value, std::int64_t align) {
    return (value + align - 1) / align * align;
}

}  // namespace

int StructInfo::find(base::Name field) const {
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (fields[i].name == field) return static_cast<int>(i);
    return -1;
}

std::int64_t sizeOf(const Type* type) {
    switch (type->kind) {
        case TypeKind::Array: {
            std::int64_t inner = sizeOf(type->element);
            std::int64_t size = 0;
            if (inner == kDynamic || type->extent == kDynamic) return kDynamic;
            return __builtin_mul_overflow(inner, type->extent, &size) ? INT64_MAX : size;
        }
        case TypeKind::Struct:
            return type->structure->isComplete ? type->structure->size : kDynamic;
        default: return scalarInfo(type->kind).size;
    }
}

std::int64_t alignOf(const Type* type) {
    const Type* inner = innermost(type);
    if (!inner->is(TypeKind::Struct)) return scalarInfo(inner->kind).align;
    STRC_ASSERT(inner->structure->isComplete, "alignment of a struct that is not laid out");
    return inner->structure->align;
}

bool isConcrete(const Type* type) { return sizeOf(type) != kDynamic; }

const Type* innermost(const Type* type) {
    while (type->is(TypeKind::Array)) type = type->element;
    return type;
}

int rank(const Type* type) {
    int dimensions = 0;
    for (; type->is(TypeKind::Array); type = type->element) ++dimensions;
    return dimensions;
}

std::string toString(const Type* type) {
    if (type->is(TypeKind::Struct)) return std::string(type->structure->name.text());
    if (type->is(TypeKind::Portal)) {
        std::string text = "portal<";
        return text.append(type->portalClass.text()) + ">";
    }
    if (!type->is(TypeKind::Array)) return scalarInfo(type->kind).name;
    std::string bounds;
    const Type* inner = type;
    for (; inner->is(TypeKind::Array); inner = inner->element)
        bounds += '[' + (inner->extent == kDynamic ? "?" : std::to_string(inner->extent)) + ']';
    return toString(inner) + bounds;
}

bool compatible(const Type* a, const Type* b) {
    while (a != b && a->is(TypeKind::Array) && b->is(TypeKind::Array)) {
        if (a->extent != b->extent && a->extent != kDynamic && b->extent != kDynamic) return false;
        a = a->element;
        b = b->element;
    }
    return a == b || a->isError() || b->isError();
}

TypeTable::TypeTable() {
    for (int kind = 0; kind <= static_cast<int>(TypeKind::String); ++kind) {
        Type type;
        type.kind = static_cast<TypeKind>(kind);
        scalars.push_back(add(type));
    }
}

const Type* TypeTable::add(Type type) {
    types.push_back(std::make_unique<Type>(type));
    return types.back().get();
}

const Type* TypeTable::array(const Type* element, std::int64_t extent) {
    if (element->isError()) return element;
    std::string key(reinterpret_cast<const char*>(&element), sizeof element);
    key.append(reinterpret_cast<const char*>(&extent), sizeof extent);
    const Type*& found = derived[key];
    if (!found) {
        Type type;
        type.kind = TypeKind::Array;
        type.element = element;
        type.extent = extent;
        found = add(type);
    }
    return found;
}

const Type* TypeTable::portal(base::Name receiverClass) {
    const Type*& found = derived["portal " + std::string(receiverClass.text())];
    if (!found) {
        Type type;
        type.kind = TypeKind::Portal;
        type.portalClass = receiverClass;
        found = add(type);
    }
    return found;
}

const Type* TypeTable::structure(base::Name name, base::SourceRange range) {
    structs.push_back(std::make_unique<StructInfo>());
    structs.back()->name = name;
    structs.back()->range = range;
    Type type;
    type.kind = TypeKind::Struct;
    type.structure = structs.back().get();
    return add(type);
}

void TypeTable::complete(StructInfo& info) {
    // Structs in structs may double the size at each level: no value is as large as this.
    constexpr std::int64_t huge = INT64_MAX / 4;
    std::int64_t offset = 0;
    for (StructField& field : info.fields) {
        STRC_ASSERT(isConcrete(field.type), "struct completed before its fields");
        std::int64_t align = alignOf(field.type);
        field.offset = alignUp(offset, align);
        offset = std::min(field.offset + std::min(sizeOf(field.type), huge), huge);
        info.align = std::max(info.align, align);
    }
    info.size = alignUp(offset, info.align);
    info.isComplete = true;
}

}  // namespace strc::types
