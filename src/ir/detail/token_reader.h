#pragma once
/// Reads the tokens of the IR's text one by one, and remembers the first that is not what was expected; from then on
/// it stands at the end.

#include <optional>

#include "ir/detail/text_lexer.h"
#include "ir/ir.h"

namespace strc::ir::detail {

class TokenReader {
public:
    explicit TokenReader(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

    /// Says what was expected, and the token that stands there instead.
    struct Wrong {
        std::string expected;
        Token found;
    };
    const std::optional<Wrong>& fault() const { return wrong; }
    bool failed() const { return wrong.has_value(); }
    void fail(const std::string& expected);

    const Token& look() const { return tokens[at]; }
    bool isEnd() const { return look().kind == Token::Kind::End; }
    bool isNext(std::string_view text) const;
    /// A register with a colon behind it is the result of the next instruction.
    bool isOperand() const {
        return look().kind == Token::Kind::Register && tokens[at + 1].text != ":";
    }
    std::size_t position() const { return at; }
    const Token& tokenAt(std::size_t position) const { return tokens[position]; }
    void skip() { ++at; }
    /// Fails at the token that has been read last.
    void failBefore(const std::string& expected);

    bool accept(std::string_view text);
    void expect(std::string_view text);
    std::string take(Token::Kind, const char* expected);
    std::string word() { return take(Token::Kind::Word, "a word"); }
    std::uint32_t number();
    Reg reg();
    /// NAME, NAME#INDEX or #INDEX, as it stands.
    std::string displayName();

private:
    std::vector<Token> tokens;
    std::size_t at = 0;
    std::optional<Wrong> wrong;
};

/// Without the index.
std::string plainName(const std::string& display);

}  // namespace strc::ir::detail
