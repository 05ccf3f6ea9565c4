#include "parser/detail/token_walk.h"

namespace strc::parser {

namespace {

bool isVisible(const Token* token) { return token->getChannel() == Token::DEFAULT_CHANNEL; }

/// Past the brackets that begin at `token`; null if they are not closed.
Token* pastBrackets(antlr4::TokenStream& tokens, Token* token) {
    std::size_t depth = 0;
    for (;; token = nextToken(tokens, token)) {
        if (token->getType() == Token::EOF) return nullptr;
        if (token->getType() == Grammar::LEFT_BRACKET) depth++;
        if (token->getType() == Grammar::RIGHT_BRACKET && --depth == 0) break;
    }
    return nextToken(tokens, token);
}

bool beginsSimpleType(const Token* token) {
    return token->getType() == Grammar::ID || isTypeKeyword(token);
}

}  // namespace

Token* nextToken(antlr4::TokenStream& tokens, const Token* token) {
    std::size_t i = token->getTokenIndex();
    if (tokens.get(i)->getType() == Token::EOF) return tokens.get(i);
    for (i++; !isVisible(tokens.get(i)); i++) {
    }
    return tokens.get(i);
}

Token* previousToken(antlr4::TokenStream& tokens, const Token* token) {
    for (std::size_t i = token->getTokenIndex(); i-- > 0;) {
        if (isVisible(tokens.get(i))) return tokens.get(i);
    }
    return nullptr;
}

const Token* statementStart(antlr4::TokenStream& tokens, const Token* token) {
    constexpr int most = 16;
    const Token* start = nullptr;
    const Token* at = token;
    for (int steps = 0; steps < most; ++steps) {
        const Token* before = previousToken(tokens, at);
        if (!before || before->getType() == Grammar::SEMICOLON ||
            before->getType() == Grammar::LEFT_BRACE || before->getType() == Grammar::RIGHT_BRACE)
            return start;
        at = start = before;
    }
    return nullptr;
}

bool isInStreamHead(antlr4::TokenStream& tokens, const Token* arrow) {
    Token* token = nextToken(tokens, arrow);
    if (!beginsSimpleType(token)) return false;
    token = nextToken(tokens, token);
    while (token && token->getType() == Grammar::LEFT_BRACKET) token = pastBrackets(tokens, token);
    if (token && token->getType() == Grammar::STATEFUL) token = nextToken(tokens, token);
    if (!token) return false;
    switch (token->getType()) {
        case Grammar::FILTER:
        case Grammar::PIPELINE:
        case Grammar::SPLITJOIN:
        case Grammar::FEEDBACKLOOP: return nextToken(tokens, token)->getType() == Grammar::ID;
        default: return false;
    }
}

Token* typeBefore(antlr4::TokenStream& tokens, const Token* arrow) {
    Token* token = previousToken(tokens, arrow);
    while (token && token->getType() == Grammar::RIGHT_BRACKET) {
        std::size_t depth = 1;
        while (depth > 0 && (token = previousToken(tokens, token))) {
            if (token->getType() == Grammar::RIGHT_BRACKET) depth++;
            if (token->getType() == Grammar::LEFT_BRACKET) depth--;
        }
        if (token) token = previousToken(tokens, token);
    }
    return token && beginsSimpleType(token) ? token : nullptr;
}

bool isKeyword(const Token* token) {
    return token->getType() >= Grammar::FILTER && token->getType() <= Grammar::FALSE;
}

bool isAssignment(const Token* token) {
    switch (token->getType()) {
        case Grammar::ASSIGN:
        case Grammar::PLUS_ASSIGN:
        case Grammar::MINUS_ASSIGN:
        case Grammar::STAR_ASSIGN:
        case Grammar::SLASH_ASSIGN:
        case Grammar::PERCENT_ASSIGN:
        case Grammar::AND_ASSIGN:
        case Grammar::OR_ASSIGN:
        case Grammar::XOR_ASSIGN:
        case Grammar::LEFT_ASSIGN:
        case Grammar::RIGHT_ASSIGN: return true;
        default: return false;
    }
}

bool isBinaryOperator(const Token* token) {
    switch (token->getType()) {
        case Grammar::LEFT_SHIFT:
        case Grammar::RIGHT_SHIFT:
        case Grammar::AND_AND:
        case Grammar::OR_OR:
        case Grammar::EQUAL:
        case Grammar::NOT_EQUAL:
        case Grammar::LESS_EQUAL:
        case Grammar::GREATER_EQUAL:
        case Grammar::LESS:
        case Grammar::GREATER:
        case Grammar::PLUS:
        case Grammar::MINUS:
        case Grammar::STAR:
        case Grammar::SLASH:
        case Grammar::PERCENT:
        case Grammar::AND:
        case Grammar::OR:
        case Grammar::XOR:
        case Grammar::QUESTION: return true;
        default: return false;
    }
}

bool beginsExpressionOnly(const Token* token) {
    switch (token->getType()) {
        case Grammar::LEFT_PAREN:
        case Grammar::MINUS:
        case Grammar::BANG:
        case Grammar::TILDE:
        case Grammar::INTEGER:
        case Grammar::HEX:
        case Grammar::REAL:
        case Grammar::IMAGINARY:
        case Grammar::BAD_NUMBER:
        case Grammar::STRING:
        case Grammar::OPEN_STRING:
        case Grammar::CHARACTER:
        case Grammar::OPEN_CHARACTER:
        case Grammar::PI:
        case Grammar::TRUE:
        case Grammar::FALSE: return true;
        default: return false;
    }
}

bool isStatementKeyword(const Token* token) {
    switch (token->getType()) {
        case Grammar::PUSH:
        case Grammar::POP:
        case Grammar::PEEK:
        case Grammar::ADD:
        case Grammar::SPLIT:
        case Grammar::JOIN:
        case Grammar::BODY:
        case Grammar::LOOP:
        case Grammar::ENQUEUE:
        case Grammar::IF:
        case Grammar::WHILE:
        case Grammar::FOR:
        case Grammar::DO:
        case Grammar::BREAK:
        case Grammar::CONTINUE:
        case Grammar::RETURN: return true;
        default: return false;
    }
}

bool isPartKeyword(const Token* token) {
    switch (token->getType()) {
        case Grammar::INIT:
        case Grammar::WORK:
        case Grammar::PREWORK:
        case Grammar::HANDLER: return true;
        default: return false;
    }
}

bool isTypeKeyword(const Token* token) {
    return token->getType() >= Grammar::BOOLEAN && token->getType() <= Grammar::FLOAT4;
}

bool endsExpression(const Token* token) {
    switch (token->getType()) {
        case Grammar::RIGHT_PAREN:
        case Grammar::RIGHT_BRACKET:
        case Grammar::RIGHT_BRACE:
        case Grammar::COMMA:
        case Grammar::COLON:
        case Grammar::SEMICOLON: return true;
        default: return false;
    }
}

bool isNameWithKeyword(antlr4::TokenStream& tokens, const Token* at) {
    if (!isKeyword(at)) return false;
    switch (nextToken(tokens, at)->getType()) {
        case Grammar::ASSIGN:
        case Grammar::SEMICOLON:
        case Grammar::COMMA:
        case Grammar::LEFT_PAREN:
        case Grammar::RIGHT_PAREN:
        case Grammar::LEFT_BRACKET:
        case Grammar::LEFT_BRACE:
        case Grammar::GREATER: return true;
        default: return false;
    }
}

}  // namespace strc::parser
