#pragma once
/// One entry as it was typed, and parts of it. Private to repl.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace strc::repl {

struct Input {
    std::string_view typed;  ///< everything
    std::string name;  ///< "<input 3>"
    std::size_t begin = 0, end = 0;

    std::string_view text() const { return typed.substr(begin, end - begin); }
};

/// The bytes [begin, end) of the same input, without blanks around them and `;` behind them.
Input partOf(const Input&, std::size_t begin, std::size_t end);
/// Words with their places; quotes hold one together.
std::vector<Input> wordsOf(const Input&);
/// Without quotes, as the name of a file.
std::string plainText(const Input&);

}  // namespace strc::repl
