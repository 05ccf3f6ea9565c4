#pragma once
/// Values of literals from their text, as language.md 2 says.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strc::parser {

/// A decimal integer literal, whatever zeros it begins with; nothing if it is beyond `int`.
std::optional<std::int32_t> decimalValue(std::string_view digits);

/// The value of `0x...` modulo 2^32, read as two's complement.
std::int32_t hexValue(std::string_view literal);

/// A decimal number, with or without fraction, exponent and suffix `f` or `i`: decimal to double to
/// float; infinity if that is too large.
float realValue(std::string_view literal);

/// Length of the escape sequence that `text` begins with (its first character is a backslash); 0 if
/// it is none.
std::size_t escapeLength(std::string_view text);

/// The characters that the inside of a string or character literal stands for. What is no escape
/// sequence stands for itself.
std::string unescape(std::string_view inside);

}  // namespace strc::parser
