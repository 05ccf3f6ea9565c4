#pragma once
/// Just enough of UTF-8 to print text of unknown origin. Source texts are bytes; nothing else in
/// the compiler looks inside of a character.

#include <cstddef>
#include <string_view>

namespace strc::base {

/// Length of the well-formed character that `text` begins with, 1 to 4; 0 if there is none (also
/// for an empty text).
std::size_t utf8Length(std::string_view text);

/// What stands for a byte that is not text.
constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

}  // namespace strc::base
