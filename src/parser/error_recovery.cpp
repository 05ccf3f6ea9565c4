// How reading goes on after a syntax error. What is said about it stands in error_messages.cpp.

#include "parser/detail/error_strategy.h"
#include "parser/detail/token_walk.h"

namespace strc::parser {

using antlr4::Parser;

namespace {

/// Rules that hold a list of statements, members or declarations.
bool isListRule(std::size_t rule) {
    switch (rule) {
        case Grammar::RuleProgram:
        case Grammar::RuleStructDeclaration:
        case Grammar::RuleNativeDeclaration:
        case Grammar::RuleHelperDeclaration:
        case Grammar::RuleFilterBody:
        case Grammar::RuleBlock: return true;
        default: return false;
    }
}

/// `push(1));`: a closing bracket too many before what is expected.
bool isStrayCloser(Parser* parser, const Token* at, std::size_t type) {
    const bool closer =
        at->getType() == Grammar::RIGHT_PAREN || at->getType() == Grammar::RIGHT_BRACKET;
    return closer && nextToken(*parser->getTokenStream(), at)->getType() == type;
}

void count(const Token* token, std::size_t& braces, std::size_t& parens) {
    switch (token->getType()) {
        case Grammar::LEFT_BRACE: braces++; break;
        case Grammar::RIGHT_BRACE: braces -= braces > 0; break;
        case Grammar::LEFT_PAREN: parens++; break;
        case Grammar::RIGHT_PAREN: parens -= parens > 0; break;
        default: break;
    }
}

/// After a block: `else`, the rest of a list, or the `;` of an initialiser.
bool goesOn(const Token* token) {
    switch (token->getType()) {
        case Grammar::ELSE:
        case Grammar::COMMA:
        case Grammar::RIGHT_PAREN:
        case Grammar::RIGHT_BRACKET:
        case Grammar::SEMICOLON: return true;
        default: return false;
    }
}

/// Words that nothing but the next item can begin with.
bool beginsItem(Parser* parser, const Token* at, Skip kind) {
    if (kind == Skip::Member) return isPartKeyword(at);
    switch (at->getType()) {
        case Grammar::STRUCT:
        case Grammar::STATIC:
        case Grammar::NATIVE:
        case Grammar::HELPER: return kind == Skip::Declaration;
        default: break;
    }
    if (kind != Skip::Declaration) return false;
    const Token* arrow = nextToken(*parser->getTokenStream(), at);
    return arrow->getType() == Grammar::ARROW && isInStreamHead(*parser->getTokenStream(), arrow);
}

}  // namespace

void ErrorStrategy::reportError(Parser* parser, const antlr4::RecognitionException& fault) {
    // Every other kind was reported before it was thrown.
    if (const auto* e = dynamic_cast<const antlr4::NoViableAltException*>(&fault)) {
        if (!inErrorRecoveryMode(parser)) noViable(parser, e->getOffendingToken());
    }
}

/// Called in the rule that was left; returning ends it as if it had been read.
void ErrorStrategy::recover(Parser* parser, std::exception_ptr fault) {
    auto* c = parser->getContext();
    const Token* at = parser->getCurrentToken();
    switch (c->getRuleIndex()) {
        case Grammar::RuleOperand:
        case Grammar::RuleInitialiser:
        case Grammar::RuleRateBound:
            // Nothing stands where a value should: the rest may be in order.
            if (c->start == at && endsExpression(at)) return;
            break;
        case Grammar::RuleRateClause:
            if (at->getType() == Grammar::LEFT_BRACE || at->getType() == Grammar::PUSH ||
                at->getType() == Grammar::POP || at->getType() == Grammar::PEEK)
                return;
            break;
        case Grammar::RuleStatement:
            if (!nextDeclaration) return skip(parser, c->start, Skip::Statement);
            break;
        case Grammar::RuleMember:
        case Grammar::RuleFunction:
            if (!nextDeclaration) return skip(parser, c->start, Skip::Member);
            break;
        case Grammar::RuleVariables:
        case Grammar::RulePrototype:
            if (!nextDeclaration) return skip(parser, c->start, Skip::Field);
            break;
        case Grammar::RuleDeclaration:
            if (!nextDeclaration) return skip(parser, c->start, Skip::Declaration);
            parser->getTokenStream()->seek(nextDeclaration->getTokenIndex());
            nextDeclaration = nullptr;
            endErrorCondition(parser);
            return;
        default: break;
    }
    std::rethrow_exception(fault);
}

/// Before each item of a list: what cannot begin one is reported and skipped.
void ErrorStrategy::sync(Parser* parser) {
    const std::size_t rule = parser->getContext()->getRuleIndex();
    if (!isListRule(rule)) return;
    const auto& atn = parser->getATN();
    const auto& possible = atn.nextTokens(atn.states[parser->getState()]);
    auto kind = Skip::Member;
    if (rule == Grammar::RuleProgram) kind = Skip::Declaration;
    if (rule == Grammar::RuleBlock) kind = Skip::Statement;
    while (true) {
        Token* at = parser->getCurrentToken();
        if (at->getType() == Token::EOF || possible.contains(at->getType())) return;
        if (!inErrorRecoveryMode(parser)) itemFault(parser, at);
        skip(parser, at, kind);
    }
}

/// A certain token was expected, and another one found.
Token* ErrorStrategy::recoverInline(Parser* parser) {
    const auto& atn = parser->getATN();
    const auto& possible = atn.nextTokens(atn.states[parser->getState()]);
    const std::size_t type = possible.getMinElement() > 0
                                 ? static_cast<std::size_t>(possible.getMinElement())
                                 : Token::EOF;
    Token* at = parser->getCurrentToken();
    const bool silent = inErrorRecoveryMode(parser);
    if (!silent && isStrayCloser(parser, at, type)) {
        unexpected(parser, at);
        parser->consume();
        endErrorCondition(parser);
        Token* wanted = parser->getCurrentToken();
        parser->consume();
        return wanted;
    }
    if (!silent) mismatch(parser, type, at);
    if (type == Grammar::ID && isNameWithKeyword(*parser->getTokenStream(), at)) {
        parser->consume();
        return at;
    }
    if (resumeHere || (type == Grammar::SEMICOLON && declaresKeyword(parser, at))) {
        throw antlr4::InputMismatchException(parser);
    }
    if (canConjure(parser, type, at)) return conjure(parser, type);
    throw antlr4::InputMismatchException(parser);
}

/// `Foo loop = 3;`, read as far as the type, which looks like a statement without `;`.
bool ErrorStrategy::declaresKeyword(Parser* parser, const Token* at) const {
    if (parser->getContext()->getRuleIndex() != Grammar::RulePlainStatement) return false;
    const auto* simple = static_cast<Grammar::PlainStatementContext*>(parser->getContext())->simple;
    if (!simple || !simple->target || !simple->target->name) return false;
    if (simple->target->call || simple->step || simple->op || !simple->items.empty()) return false;
    if (onNewLine(parser) || !isNameWithKeyword(*parser->getTokenStream(), at)) return false;
    const auto next = nextToken(*parser->getTokenStream(), at)->getType();
    return next == Grammar::ASSIGN || next == Grammar::SEMICOLON || next == Grammar::COMMA;
}

/// Whether to go on as if the missing token stood before `at`.
bool ErrorStrategy::canConjure(Parser* parser, std::size_t type, const Token* at) const {
    const std::size_t found = at->getType();
    switch (type) {
        case Grammar::SEMICOLON:
            return isStatementKeyword(at) || isPartKeyword(at) || isTypeKeyword(at) ||
                   found == Grammar::RIGHT_BRACE || onNewLine(parser);
        case Grammar::RIGHT_PAREN:
        case Grammar::RIGHT_BRACKET: return endsExpression(at) || found == Grammar::LEFT_BRACE;
        case Grammar::ID:
            return found == Grammar::LEFT_PAREN || found == Grammar::LEFT_BRACE ||
                   found == Grammar::ASSIGN;
        case Grammar::LEFT_BRACE: return isBodyWithoutBrace(parser, at);
        default: return false;
    }
}

/// Behind the head of a stream, what stands in a body, and the `}` that closes it.
bool ErrorStrategy::isBodyWithoutBrace(Parser* parser, const Token* at) const {
    if (!dynamic_cast<const Grammar::StreamDeclarationContext*>(parser->getContext()->parent))
        return false;
    if (!isPartKeyword(at) && !isTypeKeyword(at) && !isStatementKeyword(at)) return false;
    auto& tokens = *parser->getTokenStream();
    std::size_t braces = 0;
    std::size_t parens = 0;
    for (; at->getType() != Token::EOF; at = nextToken(tokens, at)) {
        if (at->getType() == Grammar::RIGHT_BRACE && braces == 0) return true;
        if (braces == 0 && beginsItem(parser, at, Skip::Declaration)) return false;
        count(at, braces, parens);
    }
    return false;
}

/// An empty token of this type after the last one read.
Token* ErrorStrategy::conjure(Parser* parser, std::size_t type) {
    Token* at = parser->getCurrentToken();
    const Token* before = previousToken(*parser->getTokenStream(), at);
    const std::size_t begin = before ? before->getStopIndex() + 1 : 0;
    auto token = parser->getTokenFactory()->create(
        {parser->getTokenStream()->getTokenSource(), at->getInputStream()}, type, {},
        Token::DEFAULT_CHANNEL, begin, begin - 1, at->getLine(), at->getCharPositionInLine());
    conjured.push_back(std::move(token));
    return conjured.back().get();
}

/// Leaves the rest of the item that begins at `from`. Always gets on, except where the item ends at
/// the present token.
void ErrorStrategy::skip(Parser* parser, Token* from, Skip kind) {
    if (std::exchange(resumeHere, false)) return;
    auto& tokens = *parser->getTokenStream();
    const std::size_t start = parser->getCurrentToken()->getTokenIndex();
    std::size_t braces = 0;
    std::size_t parens = 0;
    const bool head = from->getType() == Grammar::FOR;  // its parentheses hold `;`
    for (Token* t = from; t->getTokenIndex() < start; t = nextToken(tokens, t)) {
        count(t, braces, parens);
    }
    for (;; parser->consume()) {
        Token* at = parser->getCurrentToken();
        const bool moved = at->getTokenIndex() > start;
        if (at->getType() == Token::EOF) return;
        if (braces == 0 && moved && beginsItem(parser, at, kind)) break;
        if (at->getType() == Grammar::LEFT_BRACE) parens = 0;
        if (at->getType() == Grammar::RIGHT_BRACE && braces == 0 && kind != Skip::Declaration)
            break;
        const bool closes = at->getType() == Grammar::RIGHT_BRACE && braces <= 1;
        count(at, braces, parens);
        if (closes && !goesOn(nextToken(tokens, at))) {
            parser->consume();
            break;
        }
        if (at->getType() != Grammar::SEMICOLON || braces > 0 || (head && parens > 0)) continue;
        if (kind == Skip::Field) return;  // its `;` is still to be read, and ends the silence
        parser->consume();
        break;
    }
    endErrorCondition(parser);
}

}  // namespace strc::parser
