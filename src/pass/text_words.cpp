#include "pass/detail/text_words.h"

namespace strc::pass::detail {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string_view builtinWord(types::BuiltinStream id) {
    return id == types::BuiltinStream::None ? "filter" : types::info(id).name;
}

std::optional<types::BuiltinStream> findBuiltinWord(std::string_view word) {
    if (word == "filter") return types::BuiltinStream::None;
    const types::BuiltinStream found = types::findBuiltinStream(word);
    if (found == types::BuiltinStream::None) return std::nullopt;
    return found;
}

std::string hex(std::string_view bytes) {
    std::string digits;
    for (const char each : bytes) {
        const auto byte = static_cast<unsigned char>(each);
        digits += kDigits[byte >> 4];
        digits += kDigits[byte & 15];
    }
    return digits.empty() ? kNothing : digits;
}

std::optional<std::string> bytesOf(std::string_view digits) {
    if (digits == kNothing) return std::string();
    if (digits.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    for (std::size_t k = 0; k < digits.size(); k += 2) {
        const std::size_t high = kDigits.find(digits[k]), low = kDigits.find(digits[k + 1]);
        if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
        bytes += static_cast<char>(high << 4 | low);
    }
    return bytes;
}

}  // namespace strc::pass::detail
