#include "parser/detail/lexer.h"

#include <algorithm>

namespace strc::parser {

std::unique_ptr<antlr4::Token> Lexer::nextToken() {
    if (second) return std::move(second);
    if (interrupt && *interrupt) _input->seek(_input->size());
    std::unique_ptr<antlr4::Token> token = StrcLexer::nextToken();
    if (token->getChannel() != Token::DEFAULT_CHANNEL) return token;
    if (token->getType() == RIGHT_SHIFT && closesTypes()) {
        auto bracket = [&](std::size_t at) {
            return getTokenFactory()->create({this, _input}, GREATER, {}, Token::DEFAULT_CHANNEL,
                                             at, at, token->getLine(),
                                             token->getCharPositionInLine());
        };
        second = bracket(token->getStopIndex());
        return bracket(token->getStartIndex());
    }
    std::rotate(before.begin(), before.begin() + 1, before.end());
    before.back() = {token->getType(), token->getStartIndex(), token->getStopIndex()};
    return token;
}

/// Behind `< tensor < type` or `< portal < name`, which are all types with an argument that may be an argument themselves. What
/// looks the same among expressions would compare a truth value.
bool Lexer::closesTypes() const {
    const auto& [outer, word, inner, argument] = before;
    if (outer.type != LESS || inner.type != LESS) return false;
    if (word.type == PORTAL) return argument.type == ID;
    const bool isType =
        argument.type == ID || (argument.type >= BOOLEAN && argument.type <= FLOAT4);
    return isType && word.type == ID &&
           _input->getText(antlr4::misc::Interval(word.start, word.stop)) == "tensor";
}

}  // namespace strc::parser
