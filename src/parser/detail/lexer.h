#pragma once
/// ANTLR's lexer, and what it cannot know of a text.

#include <array>
#include <memory>

#include "parser/detail/antlr.h"

namespace strc::parser {

/// `>>` is two brackets where it closes types, as in `Identity<tensor<int>>`. A text ends where it is interrupted.
class Lexer final : public grammar::StrcLexer {
public:
    Lexer(antlr4::CharStream* text, const volatile bool* interrupt)
        : StrcLexer(text), interrupt(interrupt) {}

    std::unique_ptr<antlr4::Token> nextToken() override;

private:
    struct Seen {
        std::size_t type = 0, start = 0, stop = 0;
    };
    bool closesTypes() const;

    const volatile bool* interrupt;
    std::array<Seen, 4> before;  ///< tokens that the parser sees, the last one at the end
    std::unique_ptr<antlr4::Token> second;  ///< the other one of two brackets
};

}  // namespace strc::parser
