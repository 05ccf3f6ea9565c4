#pragma once
/// The lexemes of a text by themselves, for texts that the parser does not read: a library, of which a program needs
/// a few declarations, and what is typed at a prompt, which need not be the language yet. Of a right text these are
/// the tokens of the parser, and comments; only `>>` is one lexeme also where it closes types. They are found in a tenth of the time
/// that ANTLR's lexer takes, which would be half the time of compiling a small program.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace strc::parser {

enum class LexemeKind : std::uint8_t { Name, Keyword, Type, Number, String, Comment, Sign };

struct Lexeme {
    LexemeKind kind = LexemeKind::Sign;
    std::uint32_t begin = 0, end = 0;  ///< bytes
    std::string_view text;  ///< of the source
    bool isOpen = false;  ///< a comment or string that lacks its end

    bool is(std::string_view what) const { return text == what && kind != LexemeKind::String; }
};

/// `moreSigns`: signs of two characters that the language does not have. No text is refused; what is no sign is a
/// Sign of one character.
std::vector<Lexeme> lexemes(std::string_view text,
                            std::span<const std::string_view> moreSigns = {});

/// Name, Keyword or Type: a word that the grammar knows as a whole is no Name.
LexemeKind kindOfWord(std::string_view word);
/// All words that are no names.
std::span<const std::string_view> keywords();

}  // namespace strc::parser
