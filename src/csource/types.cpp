#include "csource/types.h"

#include <algorithm>

#include <fmt/format.h>

#include "csource/detail/names.h"

namespace strc::csource {
namespace {

using types::TypeKind;

std::string_view elementName(TypeKind element) {
    switch (element) {
        case TypeKind::Boolean: return "uint8_t";
        case TypeKind::Int8: return "int8_t";
        case TypeKind::Half:
        case TypeKind::BFloat16: return "uint16_t";  // the bits
        case TypeKind::Int: return "int32_t";
        case TypeKind::Long: return "int64_t";
        case TypeKind::Double: return "double";
        default: return "float";
    }
}

std::string_view arrayName(TypeKind element) {
    switch (element) {
        case TypeKind::Boolean: return "booleans";
        case TypeKind::Int8: return "int8s";
        case TypeKind::Half: return "halves";
        case TypeKind::BFloat16: return "bfloats";
        case TypeKind::Int: return "ints";
        case TypeKind::Long: return "longs";
        case TypeKind::Double: return "doubles";
        default: return "floats";
    }
}

std::string shaped(const Type* tensor) {
    std::string extents;
    for (std::int64_t extent : tensor->dims) extents += fmt::format("[{}]", extent);
    return fmt::format("{} at{}", elementName(tensor->element->kind),
                       extents.empty() ? "[1]" : extents);
}

/// "tensor<float>[2, 3] of 'floats', ..."
std::string placesOf(const graph::Edge& edge) {
    std::string all;
    for (const Type* tensor : edge.tensors) {
        all += fmt::format("{}{} of {}", all.empty() ? "" : ", ", types::toString(tensor),
                           arrayName(tensor->element->kind));
    }
    return all;
}

std::string arraysOf(const Type* memory) {
    auto array = [](const Type* type) {
        const TypeKind kind = type->element->kind;
        return fmt::format("    {} {}[{}];\n", elementName(kind), arrayName(kind), type->extent);
    };
    if (!memory->is(TypeKind::Struct)) return array(memory);
    std::string body;
    for (const types::StructField& field : memory->structure->fields) body += array(field.type);
    return body;
}

}  // namespace

std::string fieldName(std::string_view field) {
    return std::string(field) + (isReservedWord(field) ? "_" : "");
}

std::string Types::name(const Type* type) {
    switch (type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit: return "uint8_t";
        case TypeKind::Int8:
        case TypeKind::Char: return "int8_t";
        case TypeKind::Half:
        case TypeKind::BFloat16: return "uint16_t";
        case TypeKind::Portal:
        case TypeKind::Int: return "int32_t";
        case TypeKind::Long: return "int64_t";
        case TypeKind::Float: return "float";
        case TypeKind::Double: return "double";
        case TypeKind::Complex: return declared(type, "complex", "    float re, im;\n");
        case TypeKind::Struct: return structure(type);
        default:
            return declared(type, types::toString(type),
                            fmt::format("    float at[{}];\n", type->components()));
    }
}

std::string Types::variable(const Type* type, std::string_view called) {
    std::string extents;
    const Type* each = type;
    for (; each->is(TypeKind::Array); each = each->element)
        extents += fmt::format("[{}]", std::max<std::int64_t>(each->extent, 1));
    return fmt::format("{} {}{}", name(each), called, extents);
}

void Types::declareItem(const graph::Edge& edge, std::string_view side) {
    if (!edge.tensors.empty()) return declareTensors(edge, side);
    const Type* type = edge.type;
    if (!type->is(TypeKind::Array)) {
        const std::string is = name(type);
        text += fmt::format("typedef {} {}_{};\n", is, prefix, side);
        return;
    }
    const std::string is = fmt::format("{}_{}", prefix, side);
    const std::string body = fmt::format("    {};\n", variable(type, "at"));
    text += fmt::format("typedef struct {0} {{\n{1}}} {0};\n", is, body);
}

/// Each tensor lies row by row at the beginning of an array.
void Types::declareTensors(const graph::Edge& edge, std::string_view side) {
    const bool areAlike = edge.tensors.size() == 1;
    text += fmt::format(
        "/* {}: {}. */\n",
        areAlike ? "An item, row by row" : "Items take turns, each row by row at the beginning",
        areAlike ? types::toString(edge.tensors[0]) : placesOf(edge));
    const std::string body =
        areAlike ? fmt::format("    {};\n", shaped(edge.tensors[0])) : arraysOf(edge.type);
    text += fmt::format("typedef struct {0}_{1} {{\n{2}}} {0}_{1};\n", prefix, side, body);
}

std::string Types::structure(const Type* type) {
    std::string body;
    for (const types::StructField& field : type->structure->fields)
        body += fmt::format("    {};\n", variable(field.type, fieldName(field.name.text())));
    return declared(type, type->structure->name.text(), body);
}

std::string Types::declared(const Type* type, std::string_view called, const std::string& body) {
    const std::string is = fmt::format("{}_item_{}", prefix, called);
    if (known.emplace(type, is).second)
        text += fmt::format("typedef struct {0} {{\n{1}}} {0};\n", is, body);
    return is;
}

}  // namespace strc::csource
