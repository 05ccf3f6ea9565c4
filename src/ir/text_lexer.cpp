#include "ir/detail/text_lexer.h"

#include <cctype>

namespace strc::ir::detail {
namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool isWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Lexer {
public:
    explicit Lexer(std::string_view text) : text(text) {}

    base::Result<std::vector<Token>> run() {
        for (skipSpace(); at < text.size(); skipSpace())
            if (!next()) return base::Failure{"line " + std::to_string(line) + ": " + failure};
        add(Token::Kind::End, "");
        return std::move(tokens);
    }

private:
    char look(std::size_t ahead = 0) const {
        return at + ahead < text.size() ? text[at + ahead] : '\0';
    }

    void add(Token::Kind kind, std::string spelling) {
        tokens.push_back({kind, std::move(spelling), line});
    }

    void skipSpace() {
        for (; at < text.size() && std::isspace(static_cast<unsigned char>(text[at])); ++at)
            if (text[at] == '\n') ++line;
    }

    template <typename While>
    std::string take(While accepts) {
        std::size_t start = at;
        while (at < text.size() && accepts(text[at])) ++at;
        return std::string(text.substr(start, at - start));
    }

    bool next() {
        char c = look();
        if (isWordStart(c)) return addWord("");
        if (c == '%') {
            ++at;
            std::string digits = take(isDigit);
            add(Token::Kind::Register, digits.empty() ? take(isWordStart) : digits);
            return true;
        }
        if (c == '-' && look(1) == '>') {
            at += 2;
            add(Token::Kind::Sign, "->");
            return true;
        }
        if (c == '-' && look(1) == 'I') {
            ++at;
            return addWord("-");
        }
        if (isDigit(c) || c == '-') return addNumber();
        if (c == '"' || c == '\'') return addQuoted(c);
        ++at;
        add(Token::Kind::Sign, std::string(1, c));
        return true;
    }

    bool addWord(std::string start) {
        start += take([](char c) { return isWordStart(c) || isDigit(c) || c == '.'; });
        add(Token::Kind::Word, std::move(start));
        return true;
    }

    bool addNumber() {
        std::string number;
        if (look() == '-') number += text[at++];
        number += take([](char c) { return isDigit(c) || c == '.'; });
        if (look() == 'E') {
            number += text[at++];
            if (look() == '-') number += text[at++];
            number += take(isDigit);
        }
        add(Token::Kind::Number, std::move(number));
        return true;
    }

    bool addQuoted(char quote) {
        std::string value;
        for (++at; look() != quote; ++at) {
            if (at >= text.size()) {
                failure = "the quotes are not closed";
                return false;
            }
            if (look() != '\\') {
                value += look();
                continue;
            }
            ++at;
            if (!isDigit(look())) {
                value += look();
                continue;
            }
            value += static_cast<char>((look() - '0') * 64 + (look(1) - '0') * 8 + (look(2) - '0'));
            at += 2;
        }
        ++at;
        add(quote == '"' ? Token::Kind::String : Token::Kind::Char, std::move(value));
        return true;
    }

    std::string_view text;
    std::size_t at = 0;
    std::size_t line = 1;
    std::vector<Token> tokens;
    std::string failure;
};

}  // namespace

base::Result<std::vector<Token>> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace strc::ir::detail
