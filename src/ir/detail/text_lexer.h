#pragma once
/// Tokens of the IR's text.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strc::ir::detail {

struct Token {
    enum class Kind : std::uint8_t { Word, Number, Register, String, Char, Sign, End };
    Kind kind = Kind::End;
    std::string
        text;  ///< of strings and characters: without quotes, escapes replaced; of registers: the digits
    std::size_t line = 1;
    std::size_t begin = 0, end = 0;  ///< bytes of the text
};

struct Tokens {
    std::vector<Token> list;  ///< the last one is End
    bool isOpen = false;  ///< the text ends inside of quotes, which the last token but one begins
};
Tokens tokenize(std::string_view text);

}  // namespace strc::ir::detail
