#include "types/parse.h"

#include <charconv>
#include <string>

namespace strc::types {
namespace {

std::optional<std::int32_t> parseInt(std::string_view text) {
    bool negative = text.starts_with('-');
    std::string_view digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
    int base = 10;
    if (digits.starts_with("0x")) {
        base = 16;
        digits.remove_prefix(2);
    }
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.starts_with('-'))
        return std::nullopt;
    if (negative) value = -value;
    bool wrapsHex = base == 16 && value <= 0xFFFFFFFFll;
    if (!wrapsHex && (value < INT32_MIN || value > INT32_MAX)) return std::nullopt;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

std::optional<double> parseReal(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const bool isNumber = text.size() > 1 && text[text.size() - 2] <= '9';  // 1f, 1.f; not inf
    if (text.ends_with('f') && isNumber) text.remove_suffix(1);
    double value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// "a", "bi", "a+bi", "a-bi": the sign that splits the parts is not at the start nor after an 'e'.
std::optional<std::pair<float, float>> parseComplex(std::string_view text) {
    auto narrow = [](std::optional<double> value) {
        return value ? std::optional<float>(static_cast<float>(*value)) : std::nullopt;
    };
    if (!text.ends_with('i')) {
        auto real = narrow(parseReal(text));
        return real ? std::optional(std::pair(*real, 0.0f)) : std::nullopt;
    }
    text.remove_suffix(1);
    std::size_t split = 0;
    for (std::size_t k = 1; k < text.size(); ++k)
        if ((text[k] == '+' || text[k] == '-') && text[k - 1] != 'e' && text[k - 1] != 'E')
            split = k;
    auto real = split ? narrow(parseReal(text.substr(0, split))) : std::optional(0.0f);
    auto imag = narrow(parseReal(text.substr(split)));
    if (!real || !imag) return std::nullopt;
    return std::pair(*real, *imag);
}

}  // namespace

std::optional<Value> parseValue(std::string_view text, const Type* type) {
    switch (type->kind) {
        case TypeKind::String: return Value::text(type, std::string(text));
        case TypeKind::Boolean:
            if (text != "true" && text != "false" && text != "1" && text != "0")
                return std::nullopt;
            return Value::of(type, static_cast<std::uint8_t>(text == "true" || text == "1"));
        case TypeKind::Bit:
            if (text != "0" && text != "1") return std::nullopt;
            return Value::of(type, static_cast<std::uint8_t>(text == "1"));
        case TypeKind::Int:
            if (auto value = parseInt(text)) return Value::of(type, *value);
            return std::nullopt;
        case TypeKind::Float:
            if (auto value = parseReal(text)) return Value::of(type, static_cast<float>(*value));
            return std::nullopt;
        case TypeKind::Double:
            if (auto value = parseReal(text)) return Value::of(type, *value);
            return std::nullopt;
        case TypeKind::Complex:
            if (auto value = parseComplex(text)) return Value::of(type, *value);
            return std::nullopt;
        default: return std::nullopt;
    }
}

}  // namespace strc::types
