#pragma once
/// Tokens of the IR's text.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace strc::ir::detail {

struct Token {
    enum class Kind : std::uint8_t { Word, Number, Register, String, Char, Sign, End };
    Kind kind = Kind::End;
    std::string
        text;  ///< of strings and characters: without quotes, escapes replaced; of registers: the digits
    std::size_t line = 1;
};

/// The last token is End.
base::Result<std::vector<Token>> tokenize(std::string_view text);

}  // namespace strc::ir::detail
