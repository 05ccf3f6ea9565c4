#include "ir/detail/token_reader.h"

#include <charconv>

namespace strc::ir::detail {

void TokenReader::fail(const std::string& expected) {
    if (failed()) return;
    wrong = {expected, look()};
    at = tokens.size() - 1;  // nothing more is read
}

bool TokenReader::isNext(std::string_view text) const {
    return (look().kind == Token::Kind::Word || look().kind == Token::Kind::Sign) &&
           look().text == text;
}

bool TokenReader::accept(std::string_view text) {
    if (!isNext(text)) return false;
    ++at;
    return true;
}

void TokenReader::expect(std::string_view text) {
    if (!accept(text)) fail('\'' + std::string(text) + '\'');
}

std::string TokenReader::take(Token::Kind kind, const char* expected) {
    if (look().kind == kind) return tokens[at++].text;
    fail(expected);
    return {};
}

std::uint32_t TokenReader::number() {
    std::string text = take(Token::Kind::Number, "a number");
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

Reg TokenReader::reg() {
    const std::size_t from = at;
    std::string text = take(Token::Kind::Register, "a register");
    Reg value = kNone;
    std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed() || value <= tokens.size()) return value;
    at = from;
    fail("a smaller register number");
    return kNone;
}

std::string TokenReader::displayName() {
    std::string name = look().kind == Token::Kind::Word ? word() : std::string();
    if (accept("#")) name += '#' + std::to_string(number());
    if (name.empty()) fail("a name");
    return name;
}

void TokenReader::failBefore(const std::string& expected) {
    if (at > 0 && !failed()) --at;
    fail(expected);
}

std::string plainName(const std::string& display) { return display.substr(0, display.find('#')); }

}  // namespace strc::ir::detail
