#include "parser/detail/literals.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

namespace strc::parser {

namespace {

bool isDecimalDigit(char c) { return c >= '0' && c <= '9'; }
bool isOctal(char c) { return c >= '0' && c <= '7'; }

/// Whether a nonzero decimal number beyond double's range is too large rather than too small: its
/// first significant digit stands before the point once the exponent has been applied.
bool isLarge(std::string_view number) {
    const auto mantissa = number.substr(0, number.find_first_of("eE"));
    const auto point = std::min(mantissa.find('.'), mantissa.size());
    const auto first = mantissa.find_first_of("123456789");
    if (number.size() == mantissa.size()) return first < point;
    auto exponent = number.substr(mantissa.size() + 1);
    const bool negative = exponent.front() == '-';
    if (negative || exponent.front() == '+') exponent.remove_prefix(1);
    exponent.remove_prefix(std::min(exponent.find_first_not_of('0'), exponent.size()));
    // More digits than any text has characters decide by their sign alone.
    if (exponent.size() > 15) return !negative;
    std::int64_t value = 0;
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    const auto digits = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    return digits + (negative ? -value : value) > 0;
}

}  // namespace

std::optional<std::int32_t> decimalValue(std::string_view digits) {
    std::int32_t value = 0;
    const auto end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, value).ec != std::errc()) return std::nullopt;
    return value;
}

std::int32_t hexValue(std::string_view literal) {
    literal.remove_prefix(2);
    if (literal.size() > 8) literal = literal.substr(literal.size() - 8);
    std::uint32_t value = 0;
    std::from_chars(literal.data(), literal.data() + literal.size(), value, 16);
    return static_cast<std::int32_t>(value);
}

float realValue(std::string_view literal) {
    if (literal.back() == 'f' || literal.back() == 'i') literal.remove_suffix(1);
    double value = 0;
    const auto end = literal.data() + literal.size();
    if (std::from_chars(literal.data(), end, value).ec == std::errc::result_out_of_range) {
        value = isLarge(literal) ? std::numeric_limits<double>::infinity() : 0.0;
    }
    return static_cast<float>(value);
}

std::size_t escapeLength(std::string_view text) {
    if (text.size() < 2) return 0;
    if (std::string_view("nrtbf\"'\\").find(text[1]) != std::string_view::npos) return 2;
    if (!isOctal(text[1])) return 0;
    // At most \377: a third digit only after one up to 3.
    std::size_t length = 2;
    const std::size_t most = text[1] <= '3' ? 4 : 3;
    while (length < most && length < text.size() && isOctal(text[length])) length++;
    return length;
}

std::string unescape(std::string_view inside) {
    constexpr std::string_view letters = "nrtbf";
    constexpr std::string_view meanings = "\n\r\t\b\f";
    std::string text;
    text.reserve(inside.size());
    while (!inside.empty()) {
        const std::size_t length = inside.front() == '\\' ? escapeLength(inside) : 0;
        if (length == 0) {
            text += inside.front();
            inside.remove_prefix(1);
            continue;
        }
        if (isDecimalDigit(inside[1])) {
            int value = 0;
            for (char c : inside.substr(1, length - 1)) value = value * 8 + (c - '0');
            text += static_cast<char>(value);
        } else {
            const auto letter = letters.find(inside[1]);
            text += letter == letters.npos ? inside[1] : meanings[letter];
        }
        inside.remove_prefix(length);
    }
    return text;
}

}  // namespace strc::parser
