#include "types/value.h"

#include <charconv>
#include <cmath>

namespace strc::types {
namespace {

/// Java's layout of shortest digits: plain for 1e-3 <= |x| < 1e7, otherwise "d.dddEn".
template <typename T>
std::string javaStyle(T value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), std::chars_format::scientific).ptr;
    std::string digits;
    const char* at = buffer;
    for (; at != end && *at != 'e'; ++at)
        if (*at != '.') digits += *at;
    int exponent = 0;
    std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, exponent);
    std::string sign = value < 0 ? "-" : "";
    int count = static_cast<int>(digits.size());
    if (exponent < -3 || exponent >= 7)
        return sign + digits[0] + '.' + (count > 1 ? digits.substr(1) : "0") + 'E' + std::to_string(exponent);
    if (exponent < 0) return sign + "0." + std::string(-exponent - 1, '0') + digits;
    if (count <= exponent + 1) return sign + digits + std::string(exponent + 1 - count, '0') + ".0";
    return sign + digits.substr(0, exponent + 1) + '.' + digits.substr(exponent + 1);
}

std::string scalarText(const Type* type, const char* at) {
    auto read = [at]<typename T>(T value) { std::memcpy(&value, at, sizeof value); return value; };
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
            std::string second = formatFloat(imag);
            return formatFloat(read(float{})) + (second[0] == '-' ? "" : "+") + second + "i";
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
    static const Type floatType{TypeKind::Float, nullptr, 0, nullptr, {}};
    if (type->is(TypeKind::Array)) return appendList(out, type->extent, type->element, at);
    if (type->isVector()) return appendList(out, type->components(), &floatType, at);
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

std::string formatFloat(float value) { return javaStyle(value); }
std::string formatDouble(double value) { return javaStyle(value); }

std::string toString(const Value& value) {
    if (value.type->is(TypeKind::String)) return value.bytes;
    std::string out;
    append(out, value.type, value.bytes.data());
    return out;
}

}  // namespace strc::types
