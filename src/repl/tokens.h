#pragma once
/// The words of what is typed, whether or not it is the language yet: for colours, for completion, to see
/// where an entry ends. They are the lexemes of the language, and the prompt's own: commands, `<-`, `..`.

#include <cstdint>
#include <string_view>
#include <vector>

namespace strc::repl {

enum class TokenKind : std::uint8_t {
    Word,
    Keyword,
    Type,
    Number,
    String,
    Comment,
    Operator,
    Command
};

struct Token {
    TokenKind kind = TokenKind::Operator;
    std::uint32_t begin = 0, end = 0;
    std::string_view text;
    bool isOpen = false;  ///< a comment or string that lacks its end

    bool is(std::string_view what) const { return text == what && kind != TokenKind::String; }
};

/// `text` outlives the tokens. A line that begins with `:` is one token of kind Command, as far as its name.
std::vector<Token> tokenize(std::string_view text);

bool isKeyword(std::string_view word);
bool isPrimitiveType(std::string_view word);
/// Also `add` and `split`.
bool mayNameStream(const Token&);

/// One thing to do: a declaration, a statement, an expression, a stream, a command.
struct Entry {
    std::uint32_t begin = 0, end = 0;
    bool isComplete = true;  ///< false: more has to follow
};

/// Splits a typed text into entries, which stand in lines of their own or have `;` between them. Blank ones are left out.
/// The parser could not say where an entry ends: lines about streams are not its language, and it would wait for a
/// bracket that is missing until the end of the text.
std::vector<Entry> split(std::string_view text);
/// Does it end where an entry may end? How many brackets are open then.
bool isComplete(std::string_view text);
int openBrackets(std::string_view text);

}  // namespace strc::repl
