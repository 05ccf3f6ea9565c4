#include "ir/detail/text_lexer.h"

#include <algorithm>
#include <cctype>

namespace strc::ir::detail {
namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool isWordStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Lexer {
public:
    explicit Lexer(std::string_view text) : text(text) {}

    Tokens run() {
        for (skipSpace(); at < text.size() && !made.isOpen; skipSpace()) {
            begin = at;
            next();
        }
        begin = at;
        add(Token::Kind::End, "");
        return std::move(made);
    }

private:
    char look(std::size_t ahead = 0) const {
        return at + ahead < text.size() ? text[at + ahead] : '\0';
    }

    void add(Token::Kind kind, std::string spelling) {
        made.list.push_back({kind, std::move(spelling), line, begin, std::min(at, text.size())});
    }

    /// And comments.
    void skipSpace() {
        bool isComment = false;
        for (; at < text.size(); ++at) {
            if (text[at] == ';') isComment = true;
            if (!isComment && std::isspace(static_cast<unsigned char>(text[at])) == 0) return;
            if (text[at] != '\n') continue;
            isComment = false;
            ++line;
        }
    }

    template <typename While>
    std::string take(While accepts) {
        std::size_t start = at;
        while (at < text.size() && accepts(text[at])) ++at;
        return std::string(text.substr(start, at - start));
    }

    void next() {
        char c = look();
        if (isWordStart(c)) return addWord("");
        if (c == '%') {
            ++at;
            std::string digits = take(isDigit);
            return add(Token::Kind::Register, digits.empty() ? take(isWordStart) : digits);
        }
        if (c == '-' && look(1) == '>') {
            at += 2;
            return add(Token::Kind::Sign, "->");
        }
        if (c == '-' && look(1) == 'I') {
            ++at;
            return addWord("-");
        }
        if (isDigit(c) || c == '-') return addNumber();
        if (c == '"' || c == '\'') return addQuoted(c);
        ++at;
        add(Token::Kind::Sign, std::string(1, c));
    }

    void addWord(std::string start) {
        start += take([](char c) { return isWordStart(c) || isDigit(c) || c == '.'; });
        add(Token::Kind::Word, std::move(start));
    }

    void addNumber() {
        std::string number;
        if (look() == '-') number += text[at++];
        number += take([](char c) { return isDigit(c) || c == '.'; });
        if (look() == 'E') {
            number += text[at++];
            if (look() == '-') number += text[at++];
            number += take(isDigit);
        }
        add(Token::Kind::Number, std::move(number));
    }

    void addQuoted(char quote) {
        const Token::Kind kind = quote == '"' ? Token::Kind::String : Token::Kind::Char;
        std::string value;
        for (++at; look() != quote; ++at) {
            if (at >= text.size()) {
                at = text.size();
                made.isOpen = true;
                return add(kind, std::move(value));
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
        add(kind, std::move(value));
    }

    std::string_view text;
    std::size_t at = 0;
    std::size_t line = 1;
    std::size_t begin = 0;  ///< of the token at hand
    Tokens made;
};

}  // namespace

Tokens tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace strc::ir::detail
