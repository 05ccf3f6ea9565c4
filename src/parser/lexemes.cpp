#include "parser/lexemes.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include "parser/detail/antlr.h"

namespace strc::parser {

namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool isWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isWordPart(char c) { return isWordStart(c) || isDigit(c); }
bool continuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The literals of the grammar: its words and its signs.
struct Literals {
    Literals() {
        antlr4::ANTLRInputStream nothing;
        grammar::StrcLexer lexer(&nothing);
        const auto& vocabulary = lexer.getVocabulary();
        for (std::size_t type = 1; type <= vocabulary.getMaxTokenType(); ++type) {
            const std::string quoted(vocabulary.getLiteralName(type));
            if (quoted.size() > 2) add(quoted.substr(1, quoted.size() - 2), type);
        }
        for (const auto& [word, kind] : words) keywords.push_back(word);
        std::sort(keywords.begin(), keywords.end());
    }

    void add(const std::string& text, std::size_t type) {
        const bool isType = type >= Grammar::BOOLEAN && type <= Grammar::FLOAT4;
        if (isWordStart(text[0]))
            words.emplace(text, isType ? LexemeKind::Type : LexemeKind::Keyword);
        else if (text.size() > 1)
            signs.insert(text);
    }

    using Words = std::map<std::string, LexemeKind, std::less<>>;
    Words words;
    std::vector<std::string_view> keywords;
    std::set<std::string, std::less<>> signs;  ///< of several characters
};

const Literals& literals() {
    static const Literals all;
    return all;
}

class Scanner {
public:
    Scanner(std::string_view source, std::span<const std::string_view> more)
        : text(source), moreSigns(more) {}

    std::vector<Lexeme> run() {
        while (at < text.size()) {
            const char c = text[at];
            if (std::isspace(static_cast<unsigned char>(c)))
                ++at;
            else if (isWordStart(c))
                word();
            else if (isDigit(c))
                number();
            else if (c == '"' || c == '\'')
                quoted(c);
            else if (text.substr(at, 2) == "//")
                add(LexemeKind::Comment, std::min(text.find('\n', at), text.size()));
            else if (text.substr(at, 2) == "/*")
                blockComment();
            else
                add(LexemeKind::Sign, at + signLength());
        }
        return std::move(found);
    }

private:
    void add(LexemeKind kind, std::size_t end, bool isOpen = false) {
        found.push_back({kind, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end),
                         text.substr(at, end - at), isOpen});
        at = end;
    }

    void word() {
        std::size_t end = at;
        while (end < text.size() && isWordPart(text[end])) ++end;
        add(kindOfWord(text.substr(at, end - at)), end);
    }

    void number() {
        std::size_t end = at;
        while (end < text.size()) {
            const bool isPoint =
                text[end] == '.' && end + 1 < text.size() && isDigit(text[end + 1]);
            const bool isSign = (text[end] == '+' || text[end] == '-') && end > at &&
                                (text[end - 1] == 'e' || text[end - 1] == 'E') &&
                                !text.substr(at).starts_with("0x");
            if (!isPoint && !isSign && !isWordPart(text[end])) break;
            ++end;
        }
        add(LexemeKind::Number, end);
    }

    void quoted(char quote) {
        std::size_t end = at + 1;
        while (end < text.size() && text[end] != quote && text[end] != '\n')
            end += text[end] == '\\' && end + 1 < text.size() ? 2 : 1;
        const bool isOpen = end >= text.size() || text[end] != quote;
        add(LexemeKind::String, isOpen ? std::min(end, text.size()) : end + 1, isOpen);
    }

    void blockComment() {
        const std::size_t end = text.find("*/", at + 2);
        const bool isOpen = end == std::string_view::npos;
        add(LexemeKind::Comment, isOpen ? text.size() : end + 2, isOpen);
    }

    std::size_t signLength() const {
        const bool mayBeLonger =
            at + 1 < text.size() && std::ispunct(static_cast<unsigned char>(text[at + 1]));
        for (std::size_t size = mayBeLonger ? 3 : 1; size > 1; --size)
            if (const auto sign = text.substr(at, size); isSign(sign)) return sign.size();
        std::size_t end = at + 1;
        while (end < text.size() && continuesCharacter(text[end])) ++end;
        return end - at;
    }
    bool isSign(std::string_view sign) const {
        return literals().signs.contains(sign) ||
               std::find(moreSigns.begin(), moreSigns.end(), sign) != moreSigns.end();
    }

    std::string_view text;
    std::span<const std::string_view> moreSigns;
    std::size_t at = 0;
    std::vector<Lexeme> found;
};

}  // namespace

std::vector<Lexeme> lexemes(std::string_view text, std::span<const std::string_view> moreSigns) {
    return Scanner(text, moreSigns).run();
}

LexemeKind kindOfWord(std::string_view word) {
    const auto found = literals().words.find(word);
    return found == literals().words.end() ? LexemeKind::Name : found->second;
}

std::span<const std::string_view> keywords() { return literals().keywords; }

}  // namespace strc::parser
