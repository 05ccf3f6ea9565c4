#include "csource/detail/literals.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace strc::csource {
namespace {

using types::TypeKind;

constexpr std::size_t kWidth = 100;  ///< columns

template <typename T>
T read(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

/// fmt's shortest digits are read back as the same number.
template <typename Real>
std::string realLiteral(Real value, std::string_view suffix) {
    if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
    std::string digits = fmt::format("{}", value);
    if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
    return digits + std::string(suffix);
}

/// The parts of a complex number or vector.
std::string partsOf(const Type* type, const char* bytes) {
    const int count = type->is(TypeKind::Complex) ? 2 : type->components();
    std::string parts;
    for (int k = 0; k < count; ++k) {
        if (k > 0) parts += ", ";
        parts += literal(read<float>(bytes + static_cast<std::size_t>(k) * sizeof(float)));
    }
    return type->is(TypeKind::Complex) ? "{" + parts + "}" : "{{" + parts + "}}";
}

bool hasParts(const Type* type) { return type->is(TypeKind::Complex) || type->isFloatN(); }

std::string number(const Type* type, const char* bytes) {
    switch (type->kind) {
        case TypeKind::Boolean:
        case TypeKind::Bit: return *bytes != 0 ? "1" : "0";
        case TypeKind::Int8:
        case TypeKind::Char: return std::to_string(read<std::int8_t>(bytes));
        case TypeKind::Half:
        case TypeKind::BFloat16: return std::to_string(read<std::uint16_t>(bytes));
        case TypeKind::Int:
        case TypeKind::Portal: return literal(read<std::int32_t>(bytes));
        case TypeKind::Long: return literal(read<std::int64_t>(bytes));
        case TypeKind::Double: return literal(read<double>(bytes));
        default: return literal(read<float>(bytes));
    }
}

/// Texts side by side, in as many lines as they need.
std::string inLines(const std::vector<std::string>& parts, std::size_t indent) {
    std::string text = "{", line;
    const std::string margin(indent + 4, ' ');
    std::size_t whole = 0;
    for (const std::string& part : parts) whole += part.size() + 2;
    if (whole + indent < kWidth - 30) {
        for (std::size_t k = 0; k < parts.size(); ++k) text += (k > 0 ? ", " : "") + parts[k];
        return text + "}";
    }
    for (const std::string& part : parts) {
        if (!line.empty() && margin.size() + line.size() + part.size() + 2 > kWidth) {
            text += "\n" + margin + line;
            line.clear();
        }
        line += (line.empty() ? "" : " ") + part + ",";
    }
    return text + "\n" + margin + line + "\n" + std::string(indent, ' ') + "}";
}

std::string initialised(const Type* type, const char* bytes, std::size_t indent) {
    if (hasParts(type)) return partsOf(type, bytes);
    if (!type->isAggregate()) return number(type, bytes);
    std::vector<std::string> parts;
    if (type->is(TypeKind::Array)) {
        const std::int64_t size = types::sizeOf(type->element);
        for (std::int64_t k = 0; k < type->extent; ++k)
            parts.push_back(initialised(type->element, bytes + k * size, indent + 4));
    } else {
        for (const types::StructField& field : type->structure->fields)
            parts.push_back(initialised(field.type, bytes + field.offset, indent + 4));
    }
    if (parts.empty()) parts.emplace_back("0");
    return inLines(parts, indent);
}

}  // namespace

std::string literal(std::int32_t value) {
    return value == INT32_MIN ? "INT32_MIN" : std::to_string(value);
}

std::string literal(std::int64_t value) {
    return value == INT64_MIN ? "INT64_MIN" : fmt::format("INT64_C({})", value);
}

std::string literal(float value) {
    if (!std::isnan(value)) return realLiteral(value, std::isinf(value) ? "" : "f");
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::string sign = bits >> 31 != 0 ? "-" : "";
    if ((bits & 0x7FFFFFU) == 0x400000U) return sign + "NAN";
    return fmt::format("{}__builtin_nanf(\"{:#x}\")", sign, bits & 0x3FFFFFU);
}

std::string literal(double value) {
    if (!std::isnan(value)) return realLiteral(value, "");
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::string sign = bits >> 63 != 0 ? "-" : "";
    if ((bits & 0xFFFFFFFFFFFFFU) == 0x8000000000000U) return sign + "(double)NAN";
    return fmt::format("{}__builtin_nan(\"{:#x}\")", sign, bits & 0x7FFFFFFFFFFFFU);
}

std::string scalarLiteral(Types& types, const Type* type, const char* bytes) {
    if (!hasParts(type)) return number(type, bytes);
    return fmt::format("({}){}", types.name(type), partsOf(type, bytes));
}

std::string initialiser(const Type* type, const char* bytes) { return initialised(type, bytes, 0); }

std::string stringLiteral(std::string_view text) {
    std::string made = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            made += std::string("\\") + c;
        else if (c == '?')
            made += "\\?";  // no trigraphs
        else if (static_cast<unsigned char>(c) < 0x20)
            made += fmt::format("\\{:03o}", static_cast<unsigned>(c));
        else
            made += c;
    }
    return made + "\"";
}

}  // namespace strc::csource
