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
    static constexpr ScalarInfo elements[] = {
        {"int8", 1, 1},
        {"long", 8, 8},
        {"half", 2, 2},
        {"bfloat16", 2, 2},
    };
    static_assert(std::size(table) == static_cast<int>(TypeKind::Portal) + 1);
    if (kind >= TypeKind::Int8)
        return elements[static_cast<int>(kind) - static_cast<int>(TypeKind::Int8)];
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

std::int64_t countElements(const Type* tensor) {
    std::int64_t count = 1;
    for (std::int64_t extent : tensor->dims)
        if (__builtin_mul_overflow(count, extent, &count)) return INT64_MAX;
    return count;
}

namespace {

std::int64_t sizeOfTensor(const Type& tensor) {
    if (!tensor.element || !tensor.isRanked) return kDynamic;
    if (std::find(tensor.dims.begin(), tensor.dims.end(), kDynamic) != tensor.dims.end())
        return kDynamic;
    std::int64_t size = 0;
    bool isHuge = __builtin_mul_overflow(countElements(&tensor),
                                         scalarInfo(tensor.element->kind).size, &size);
    return isHuge ? INT64_MAX : size;
}

std::string tensorText(const Type& tensor) {
    std::string text = "tensor";
    if (tensor.element) text += "<" + toString(tensor.element) + ">";
    if (!tensor.isRanked) return text;
    text += '[';
    for (std::size_t k = 0; k < tensor.dims.size(); ++k) {
        if (k != 0) text += ", ";
        text += tensor.dims[k] == kDynamic ? "_" : std::to_string(tensor.dims[k]);
    }
    return text + ']';
}

bool areCompatibleTensors(const Type& a, const Type& b) {
    if (a.element && b.element && a.element != b.element) return false;
    if (!a.isRanked || !b.isRanked) return true;
    return std::equal(
        a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
        [](std::int64_t m, std::int64_t n) { return m == n || m == kDynamic || n == kDynamic; });
}

}  // namespace

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
        case TypeKind::Tensor: return sizeOfTensor(*type);
        case TypeKind::Vector: return sizeOf(type->element) * type->extent;
        default: return scalarInfo(type->kind).size;
    }
}

std::int64_t alignOf(const Type* type) {
    const Type* inner = innermost(type);
    if (inner->is(TypeKind::Tensor))
        return inner->element ? scalarInfo(inner->element->kind).align : 1;
    if (!inner->is(TypeKind::Struct)) return scalarInfo(laneType(inner)->kind).align;
    STRC_ASSERT(inner->structure->isComplete, "alignment of a struct that is not laid out");
    return inner->structure->align;
}

bool isConcrete(const Type* type) { return sizeOf(type) != kDynamic; }

const Type* innermost(const Type* type) {
    while (type->is(TypeKind::Array)) type = type->element;
    return type;
}

int rank(const Type* type) {
    if (type->is(TypeKind::Tensor)) return static_cast<int>(type->dims.size());
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
    if (type->is(TypeKind::Tensor)) return tensorText(*type);
    if (type->is(TypeKind::Vector))
        return "vector<" + toString(type->element) + ", " + std::to_string(type->extent) + ">";
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
    if (a->is(TypeKind::Tensor) && b->is(TypeKind::Tensor)) return areCompatibleTensors(*a, *b);
    return a == b || a->isError() || b->isError();
}

bool isTensorElement(const Type* type) {
    switch (type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Int:
        case TypeKind::Float:
        case TypeKind::Double:
        case TypeKind::Int8:
        case TypeKind::Long:
        case TypeKind::Half:
        case TypeKind::BFloat16: return true;
        default: return false;
    }
}

TypeTable::TypeTable() {
    scalars.resize(static_cast<int>(TypeKind::BFloat16) + 1);
    for (int kind = 0; kind < static_cast<int>(scalars.size()); ++kind) {
        bool isDerived =
            kind > static_cast<int>(TypeKind::String) && kind <= static_cast<int>(TypeKind::Vector);
        if (isDerived) continue;
        Type type;
        type.kind = static_cast<TypeKind>(kind);
        scalars[static_cast<std::size_t>(kind)] = add(type);
    }
}

const Type* TypeTable::add(Type type) {
    types.push_back(std::make_unique<Type>(std::move(type)));
    return types.back().get();
}

const Type* TypeTable::array(const Type* element, std::int64_t extent) {
    return element->isError() ? element : several(TypeKind::Array, element, extent);
}

const Type* TypeTable::vector(const Type* element, std::int64_t lanes) {
    return several(TypeKind::Vector, element, lanes);
}

template <typename Change>
const Type* TypeTable::changedStructure(const Type* type, std::int64_t lanes, Change change) {
    const Type*& found = structsInLanes[{type, lanes}];
    if (found) return found;
    const StructInfo& before = *type->structure;
    const Type* made = structure(before.name, before.range);
    for (const StructField& field : before.fields)
        made->structure->fields.push_back({field.name, change(field.type), 0, field.range});
    complete(*made->structure);
    return found = made;
}

const Type* TypeTable::inLanes(const Type* type, std::int64_t lanes) {
    if (type->is(TypeKind::Array)) return array(inLanes(type->element, lanes), type->extent);
    if (!type->is(TypeKind::Struct)) return vector(type, lanes);
    return changedStructure(type, lanes, [&](const Type* field) { return inLanes(field, lanes); });
}

const Type* TypeTable::withoutVectors(const Type* type) {
    if (type->is(TypeKind::Array)) return array(withoutVectors(type->element), type->extent);
    if (type->is(TypeKind::Vector)) {
        if (!type->element->is(TypeKind::Complex)) return array(type->element, type->extent);
        return array(array(floatType(), type->extent), 2);
    }
    if (!type->is(TypeKind::Struct)) return type;
    const std::vector<StructField>& fields = type->structure->fields;
    const bool changes = std::any_of(
        fields.begin(), fields.end(),
        [this](const StructField& field) { return withoutVectors(field.type) != field.type; });
    if (!changes) return type;
    return changedStructure(type, 0, [&](const Type* field) { return withoutVectors(field); });
}

const Type* TypeTable::several(TypeKind kind, const Type* element, std::int64_t extent) {
    std::string key(1, static_cast<char>(kind));
    key.append(reinterpret_cast<const char*>(&element), sizeof element);
    key.append(reinterpret_cast<const char*>(&extent), sizeof extent);
    const Type*& found = derived[key];
    if (!found) {
        Type type;
        type.kind = kind;
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

const Type* TypeTable::tensor(const Type* element) {
    if (element && element->isError()) return element;
    std::string key = "tensor ";
    key.append(reinterpret_cast<const char*>(&element), sizeof element);
    const Type*& found = derived[key];
    if (!found) {
        Type type;
        type.kind = TypeKind::Tensor;
        type.element = element;
        found = add(type);
    }
    return found;
}

const Type* TypeTable::tensor(const Type* element, std::vector<std::int64_t> dims) {
    if (element && element->isError()) return element;
    std::string key = "tensor of shape ";
    key.append(reinterpret_cast<const char*>(&element), sizeof element);
    key.append(reinterpret_cast<const char*>(dims.data()), dims.size() * sizeof dims[0]);
    const Type*& found = derived[key];
    if (!found) {
        Type type;
        type.kind = TypeKind::Tensor;
        type.element = element;
        type.isRanked = true;
        type.dims = std::move(dims);
        found = add(std::move(type));
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
