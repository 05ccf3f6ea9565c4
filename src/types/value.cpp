#include "types/value.h"

#include "strc/values.h"

namespace strc::types {
namespace {

std::string scalarText(const Type* type, const char* at) {
    auto read = [at]<typename T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return value;
    };
    switch (type->kind) {
        case TypeKind::Boolean: return *at ? "true" : "false";
        case TypeKind::Bit: return *at ? "1" : "0";
        case TypeKind::Char: return std::string(1, *at);
        case TypeKind::Int: return std::to_string(read(std::int32_t{}));
        case TypeKind::Float: return formatFloat(read(float{}));
        case TypeKind::Double: return formatDouble(read(double{}));
        case TypeKind::Portal: return "portal" + std::to_string(read(std::int32_t{}));
        case TypeKind::Complex: {
            float imag = 0;
            std::memcpy(&imag, at + 4, 4);
            return formatComplex(read(float{}), imag);
        }
        default: return "?";
    }
}

void append(std::string& out, const Type* type, const char* at);

void appendList(std::string& out, std::int64_t count, const Type* element, const char* at) {
    out += '{';
    for (std::int64_t i = 0; i < count; ++i) {
        if (i) out += ", ";
        append(out, element, at + i * sizeOf(element));
    }
    out += '}';
}

/// Recurses over the nesting of the type, never over its length.
void append(std::string& out, const Type* type, const char* at) {
    static const Type floatType = [] {
        Type made;
        made.kind = TypeKind::Float;
        return made;
    }();
    if (type->is(TypeKind::Array)) return appendList(out, type->extent, type->element, at);
    if (type->isFloatN()) return appendList(out, type->components(), &floatType, at);
    if (!type->is(TypeKind::Struct)) {
        out += scalarText(type, at);
        return;
    }
    out += '{';
    for (const StructField& field : type->structure->fields) {
        if (&field != &type->structure->fields.front()) out += ", ";
        append(out, field.type, at + field.offset);
    }
    out += '}';
}

}  // namespace

std::string formatFloat(float value, bool cFormat) {
    char text[STRC_TEXT_ROOM];
    return {text, strc_text_of_float(text, value, cFormat)};
}

std::string formatDouble(double value, bool cFormat) {
    char text[STRC_TEXT_ROOM];
    return {text, strc_text_of_double(text, value, cFormat)};
}

std::string formatComplex(float real, float imag, bool cFormat) {
    char text[STRC_TEXT_ROOM];
    return {text, strc_text_of_complex(text, real, imag, cFormat)};
}

std::string toString(const Value& value) {
    if (value.type->is(TypeKind::String)) return value.bytes;
    std::string out;
    append(out, value.type, value.bytes.data());
    return out;
}

}  // namespace strc::types
