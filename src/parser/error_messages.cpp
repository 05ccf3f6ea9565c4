// What is said about syntax errors. How reading goes on stands in error_recovery.cpp.

#include <cctype>

#include <fmt/format.h>

#include "base/spelling.h"
#include "parser/detail/error_strategy.h"
#include "parser/detail/token_walk.h"

namespace strc::parser {

using antlr4::Parser;
using base::Diag;
using base::SourceRange;

namespace {

/// The nearest context of this rule, the present one included.
template <typename Context>
Context* enclosing(Parser* parser, std::size_t rule) {
    antlr4::tree::ParseTree* c = parser->getContext();
    for (; c; c = c->parent) {
        auto* context = static_cast<antlr4::ParserRuleContext*>(c);
        if (context->getRuleIndex() == rule) return static_cast<Context*>(context);
    }
    return nullptr;
}

std::size_t ruleOf(const antlr4::tree::ParseTree* c) {
    return c ? static_cast<const antlr4::ParserRuleContext*>(c)->getRuleIndex() : SIZE_MAX;
}

std::vector<std::string> keywordsOf(const Parser& parser) {
    std::vector<std::string> words;
    const auto& vocabulary = parser.getVocabulary();
    for (std::size_t type = 1; type <= vocabulary.getMaxTokenType(); ++type) {
        const std::string quoted(vocabulary.getLiteralName(type));
        if (quoted.size() > 2 && std::isalpha(static_cast<unsigned char>(quoted[1])))
            words.push_back(quoted.substr(1, quoted.size() - 2));
    }
    return words;
}

}  // namespace

// ---------------------------------------------------------------- by place

/// No alternative of a rule begins with what stands here.
void ErrorStrategy::noViable(Parser* parser, Token* at) {
    Token* present = parser->getCurrentToken();
    switch (parser->getContext()->getRuleIndex()) {
        case Grammar::RuleDeclaration: return unexpected(parser, present);
        case Grammar::RuleMember: return memberFault(parser, at);
        case Grammar::RuleStatement:
        case Grammar::RulePlainStatement:
        case Grammar::RuleSubstatement:
        case Grammar::RuleIfStatement: return statementFault(parser, at);
        case Grammar::RuleOperand:
        case Grammar::RuleInitialiser:
        case Grammar::RuleRateBound:
        case Grammar::RuleSuffix: return expressionFault(parser, at);
        case Grammar::RuleRateClause:
            if (at->getType() == Token::EOF) return endOfFile(parser);
            if (auto* d = begin(parser, Diag::MissingRate, place(parser, at), at)) {
                *d << text(parser->getContext()->start);
            }
            return;
        case Grammar::RuleStreamName: return missingName(parser, at);
        case Grammar::RuleType:
        case Grammar::RuleBuiltinType: return expected(parser, "a type", at);
        case Grammar::RuleCreator: return creatorFault(parser, at);
        case Grammar::RuleStreamDeclaration:
        case Grammar::RuleAnonymousStream:
            return expected(parser, "'filter', 'pipeline', 'splitjoin' or 'feedbackloop'", at);
        case Grammar::RuleSplitter: return expected(parser, "'duplicate' or 'roundrobin'", at);
        case Grammar::RulePlace: return expected(parser, "a variable", at);
        default: return unexpected(parser, at);
    }
}

/// A token of this type was expected where `at` stands.
void ErrorStrategy::mismatch(Parser* parser, std::size_t type, Token* at) {
    const std::size_t rule = parser->getContext()->getRuleIndex();
    if (at->getType() == Token::EOF && type != Grammar::SEMICOLON) return endOfFile(parser);
    switch (type) {
        case Token::EOF: return unexpected(parser, at);
        case Grammar::ID: return missingName(parser, at);
        case Grammar::SEMICOLON: return missingSemicolon(parser, at);
        case Grammar::LEFT_BRACE: return missingBody(parser, at);
        case Grammar::ARROW: return arrowFault(parser, at);
        case Grammar::RIGHT_PAREN:
            if (rule == Grammar::RuleArguments && at->getType() == Grammar::COMMA)
                return expressionFault(parser, at);
            if (rule == Grammar::RuleArguments) return expected(parser, "',' or ')'", at);
            if (rule == Grammar::RuleFormals) return expected(parser, "',' or ')'", at);
            break;
        case Grammar::RIGHT_BRACE:
            if (rule == Grammar::RuleInitialiser) return expected(parser, "',' or '}'", at);
            break;
        default: break;
    }
    expected(parser, parser->getVocabulary().getDisplayName(type), at);
}

/// What cannot begin an item of the list that is being read.
void ErrorStrategy::itemFault(Parser* parser, Token* at) {
    switch (parser->getContext()->getRuleIndex()) {
        case Grammar::RuleBlock: return statementFault(parser, at);
        case Grammar::RuleFilterBody:
            if (isStatementKeyword(at) || at->getType() == Grammar::LEFT_BRACE ||
                at->getType() == Grammar::PLUS_PLUS || at->getType() == Grammar::MINUS_MINUS) {
                begin(parser, Diag::StatementOutsideFunction, range(at), at);
                return;
            }
            return unexpected(parser, at);
        case Grammar::RuleStructDeclaration: return expected(parser, "a field or '}'", at);
        case Grammar::RuleNativeDeclaration:
        case Grammar::RuleHelperDeclaration: return expected(parser, "a function or '}'", at);
        default: return unexpected(parser, at);
    }
}

/// After the type that begins a field or function: no name; or after that name: neither.
void ErrorStrategy::memberFault(Parser* parser, Token* at) {
    auto* member = static_cast<Grammar::MemberContext*>(parser->getContext());
    const Token* next = nextToken(*parser->getTokenStream(), at);
    if (at->getType() == Token::EOF) return endOfFile(parser);
    if (at->getType() == Grammar::ARROW && missingBrace(parser, at)) return;
    if (member->name) {
        missingSemicolon(parser, at);
        resumeHere = canConjure(parser, Grammar::SEMICOLON, at);
        return;
    }
    if (isNameWithKeyword(*parser->getTokenStream(), at)) return missingName(parser, at);
    const bool named = member->declared && member->declared->name;
    const bool changes = isAssignment(at) || at->getType() == Grammar::DOT ||
                         at->getType() == Grammar::PLUS_PLUS ||
                         at->getType() == Grammar::MINUS_MINUS;
    if (named && (changes || at->getType() == Grammar::LEFT_PAREN)) {
        // `f(3);` is a call, `f(int x) {` a function without result type.
        const bool header =
            !changes && next->getType() >= Grammar::BOOLEAN && next->getType() <= Grammar::FLOAT4;
        const auto name = range(member->start);
        if (header) {
            auto* d = begin(parser, Diag::ExpectedToken, name, member->start);
            if (d) *d << "a type" << found(member->start);
            return;
        }
        begin(parser, Diag::StatementOutsideFunction, name.to(range(at)), at);
        return;
    }
    missingName(parser, at);
}

void ErrorStrategy::statementFault(Parser* parser, Token* at) {
    if (at->getType() == Token::EOF) return endOfFile(parser);
    if (beginsExpressionOnly(at)) return expressionStatement(parser, at, at);
    if (isBinaryOperator(at) || endsExpression(at)) return expected(parser, "a statement", at);
    unexpected(parser, at);
}

/// A whole expression stands as a statement; or as the target of an assignment, if that follows.
void ErrorStrategy::expressionStatement(Parser* parser, const Token* first, Token* at) {
    auto& tokens = *parser->getTokenStream();
    const Token* last = previousToken(tokens, at);
    std::size_t depth = 0;
    for (const Token* t = at; t->getType() != Token::EOF; t = nextToken(tokens, t)) {
        const std::size_t type = t->getType();
        if (type == Grammar::LEFT_PAREN || type == Grammar::LEFT_BRACKET) depth++;
        if (type == Grammar::RIGHT_PAREN || type == Grammar::RIGHT_BRACKET) depth -= depth > 0;
        if (type == Grammar::SEMICOLON || type == Grammar::LEFT_BRACE ||
            type == Grammar::RIGHT_BRACE)
            break;
        if (depth == 0 && isAssignment(t) && t != first) {
            begin(parser, Diag::NotAssignable, range(first).to(range(last)), at);
            return;
        }
        last = t;
    }
    begin(parser, Diag::ExpressionAsStatement, range(first).to(range(last)), at);
}

void ErrorStrategy::expressionFault(Parser* parser, Token* at) {
    if (at->getType() == Token::EOF) return endOfFile(parser);
    auto* d = begin(parser, Diag::ExpectedExpression, place(parser, at), at);
    if (!d) return;
    *d << found(at);
    if (at->getType() == Grammar::LEFT_BRACE) {
        d->note(Diag::Hint)
            << "array literals only stand in declarations and as arguments of streams";
    } else if (at->getType() == Grammar::PUSH) {
        d->note(Diag::Hint) << "'push' is a statement and has no value";
    } else if (at->getType() >= Grammar::BOOLEAN && at->getType() <= Grammar::COMPLEX) {
        d->note(Diag::Hint) << fmt::format("a conversion is written '({})' before the value",
                                           text(at));
    }
}

/// After `add`, `body` or `loop`, or after the name there.
void ErrorStrategy::creatorFault(Parser* parser, Token* at) {
    auto* creator = static_cast<Grammar::CreatorContext*>(parser->getContext());
    if (at->getType() == Token::EOF) return endOfFile(parser);
    if (creator->input) {
        missingSemicolon(parser, at);
        resumeHere = canConjure(parser, Grammar::SEMICOLON, at);
        return;
    }
    if (at == creator->start) return expected(parser, "a stream", at);
    expected(parser, "'{'", at);
}

// ---------------------------------------------------------------- by what is missing

/// `int x` at top level, or the `->` of a stream inside of another one that is not closed.
void ErrorStrategy::arrowFault(Parser* parser, Token* at) {
    if (auto* d = begin(parser, Diag::ExpectedToken, place(parser, at), at)) {
        (*d << "'->'" << found(at)).note(Diag::Hint)
            << "only streams, structs, packages and static blocks stand by themselves";
    }
}

/// `int->int filter F` where a statement or member should begin: the one before is not closed.
bool ErrorStrategy::missingBrace(Parser* parser, Token* arrow) {
    auto& tokens = *parser->getTokenStream();
    Token* first = typeBefore(tokens, arrow);
    if (!first || !isInStreamHead(tokens, arrow)) return false;
    if (!enclosing<Grammar::DeclarationContext>(parser, Grammar::RuleDeclaration)) return false;
    nextDeclaration = first;
    auto* d = begin(parser, Diag::ExpectedToken, place(parser, first), first);
    if (!d) return true;
    *d << "'}'" << found(first);
    auto* block = enclosing<Grammar::BlockContext>(parser, Grammar::RuleBlock);
    auto* body = enclosing<Grammar::FilterBodyContext>(parser, Grammar::RuleFilterBody);
    const Token* open = block ? block->start : nullptr;
    if (body && (!open || open->getTokenIndex() < body->start->getTokenIndex())) open = body->start;
    if (open) d->note(Diag::OpenedHere, range(open)) << "'{'";
    return true;
}

void ErrorStrategy::missingName(Parser* parser, Token* at) {
    if (at->getType() == Token::EOF) return endOfFile(parser);
    if (at->getType() == Grammar::ARROW && missingBrace(parser, at)) return;
    if (isNameWithKeyword(*parser->getTokenStream(), at)) {
        if (auto* d = begin(parser, Diag::KeywordAsName, range(at), at)) *d << text(at);
        return;
    }
    std::string what;
    switch (parser->getContext()->getRuleIndex()) {
        case Grammar::RuleStreamName: {
            const Token* kind = previousToken(*parser->getTokenStream(), at);
            what = fmt::format("the {}", text(kind));
            break;
        }
        case Grammar::RuleStructDeclaration: what = "the struct"; break;
        case Grammar::RuleNativeDeclaration:
        case Grammar::RuleHelperDeclaration: what = "the package"; break;
        case Grammar::RuleFunction:
        case Grammar::RulePrototype: what = "the function"; break;
        case Grammar::RuleHandlerDeclaration: what = "the handler"; break;
        case Grammar::RuleFormal: what = "the parameter"; break;
        case Grammar::RuleMember:
            what = at->getType() == Grammar::LEFT_PAREN ? "the function" : "the field";
            break;
        case Grammar::RuleDeclarator: {
            const bool field = ruleOf(parser->getContext()->parent) == Grammar::RuleVariables;
            what = field ? "the field" : "the variable";
            break;
        }
        default: return expected(parser, "a name", at);
    }
    if (auto* d = begin(parser, Diag::MissingName, place(parser, at), at)) *d << what;
}

void ErrorStrategy::missingBody(Parser* parser, Token* at) {
    auto* parent = parser->getContext()->parent;
    auto* stream = ruleOf(parent) == Grammar::RuleStreamDeclaration
                       ? static_cast<Grammar::StreamDeclarationContext*>(parent)
                       : nullptr;
    if (!stream || !stream->name) return expected(parser, "'{'", at);
    if (isBodyWithoutBrace(parser, at)) {
        auto* d = begin(parser, Diag::ExpectedToken, before(parser, at), at);
        if (d) (*d << "'{'" << found(at)).fix(before(parser, at), " {");
        return;
    }
    if (auto* d = begin(parser, Diag::MissingFilterBody, before(parser, at), at)) {
        *d << (stream->kind ? text(stream->kind) : "filter") << text(stream->name->start);
    }
}

void ErrorStrategy::missingSemicolon(Parser* parser, Token* at) {
    auto* plain = enclosing<Grammar::PlainStatementContext>(parser, Grammar::RulePlainStatement);
    const std::size_t rule = parser->getContext()->getRuleIndex();
    if (at->getType() == Grammar::ARROW && missingBrace(parser, at)) return;
    if (rule == Grammar::RulePlainStatement && plain->simple) {
        auto* simple = plain->simple;
        const bool bare = simple->target && !simple->op && !simple->step && simple->items.empty();
        if (bare && isBinaryOperator(at)) return expressionStatement(parser, simple->start, at);
        if (declaresKeyword(parser, at)) {
            if (auto* d = begin(parser, Diag::KeywordAsName, range(at), at)) *d << text(at);
            return;
        }
    }
    const bool inside = enclosing<Grammar::BlockContext>(parser, Grammar::RuleBlock) ||
                        enclosing<Grammar::FilterBodyContext>(parser, Grammar::RuleFilterBody);
    if (at->getType() == Token::EOF && inside) return endOfFile(parser);
    const auto where = before(parser, at);
    const bool certain = canConjure(parser, Grammar::SEMICOLON, at);
    if (rule == Grammar::RuleCreation || rule == Grammar::RuleCreator) {
        auto* creator = enclosing<Grammar::CreatorContext>(parser, Grammar::RuleCreator);
        if (creator->reserved && isStatementKeyword(creator->start)) {
            return missingStream(parser, creator->start);
        }
        auto* d = begin(parser, Diag::CreatorWithoutSemicolon, where, at);
        if (d) *d << text(plain->start) << text(creator->start);
        if (d && certain) d->fix(where, ";");
        return;
    }
    auto* d = begin(parser, Diag::ExpectedToken, where, at);
    if (!d) return;
    *d << "';'" << found(at);
    if (isAssignment(at)) {
        d->note(Diag::Hint) << "an assignment is a statement and has no value";
    } else if (at->getType() == Grammar::ARROW) {
        d->note(Diag::Hint) << "a field is written with '.'";
    } else if (certain) {
        d->fix(where, ";");
    }
}

/// `add`, and after it the keyword of the next statement, which was taken for a name.
void ErrorStrategy::missingStream(Parser* parser, Token* keyword) {
    expected(parser, "a stream", keyword);
    parser->getTokenStream()->seek(keyword->getTokenIndex());
    resumeHere = true;
}

/// Names the innermost thing that is not closed.
void ErrorStrategy::endOfFile(Parser* parser) {
    const Token* at = parser->getTokenStream()->get(parser->getTokenStream()->size() - 1);
    const Token* open = nullptr;
    const std::string what = innermostOpen(parser, open);
    auto* d = begin(parser, Diag::UnexpectedEndOfFile, before(parser, at), at);
    if (!d) return;
    *d << what;
    if (open) d->note(Diag::OpenedHere, range(open)) << "'{'";
}

namespace {

std::string quoted(std::string_view what, std::string_view name) {
    return fmt::format("{} '{}'", what, name);
}

}  // namespace

/// In words; `open` becomes its brace, if it has one.
std::string ErrorStrategy::innermostOpen(Parser* parser, const Token*& open) const {
    for (antlr4::tree::ParseTree* tree = parser->getContext(); tree; tree = tree->parent) {
        auto* c = static_cast<antlr4::ParserRuleContext*>(tree);
        switch (c->getRuleIndex()) {
            case Grammar::RuleBlock:
            case Grammar::RuleFilterBody:
                if (c->start->getType() != Grammar::LEFT_BRACE) break;
                open = c->start;
                return ownerOf(c);
            case Grammar::RuleStructDeclaration: return "a struct";
            case Grammar::RuleNativeDeclaration:
            case Grammar::RuleHelperDeclaration: return "a package";
            case Grammar::RuleStreamDeclaration: return "the head of a stream";
            case Grammar::RuleInitialiser:
                if (c->start->getType() != Grammar::LEFT_BRACE) break;
                open = c->start;
                return "an array literal";
            default: break;
        }
    }
    const bool expression =
        enclosing<antlr4::ParserRuleContext>(parser, Grammar::RuleSingleExpression);
    return expression ? "an expression" : "a statement";
}

/// Whose body a block is.
std::string ErrorStrategy::ownerOf(antlr4::ParserRuleContext* body) const {
    auto* parent = static_cast<antlr4::ParserRuleContext*>(body->parent);
    switch (ruleOf(parent)) {
        case Grammar::RuleStreamDeclaration: {
            auto* stream = static_cast<Grammar::StreamDeclarationContext*>(parent);
            const auto kind = stream->kind ? text(stream->kind) : "filter";
            return stream->name ? quoted(kind, text(stream->name->start)) : std::string(kind);
        }
        case Grammar::RuleAnonymousStream: {
            auto* stream = static_cast<Grammar::AnonymousStreamContext*>(parent);
            return fmt::format("a {}", stream->kind ? text(stream->kind) : "filter");
        }
        case Grammar::RuleFunction:
            return quoted("function", text(static_cast<Grammar::FunctionContext*>(parent)->name));
        case Grammar::RuleMember:
            return quoted("function", text(static_cast<Grammar::MemberContext*>(parent)->name));
        case Grammar::RuleHandlerDeclaration:
            return quoted("handler",
                          text(static_cast<Grammar::HandlerDeclarationContext*>(parent)->name));
        case Grammar::RuleInitBlock:
        case Grammar::RuleWorkDeclaration: return fmt::format("'{}'", text(parent->start));
        case Grammar::RuleStaticBlock: return "a static block";
        default: return "a block";
    }
}

void ErrorStrategy::expected(Parser* parser, std::string_view what, Token* at) {
    if (at->getType() == Token::EOF) return endOfFile(parser);
    if (at->getType() == Grammar::ARROW && missingBrace(parser, at)) return;
    if (auto* d = begin(parser, Diag::ExpectedToken, place(parser, at), at))
        *d << what << found(at);
}

void ErrorStrategy::unexpected(Parser* parser, Token* at) {
    if (at->getType() == Token::EOF) return endOfFile(parser);
    auto* d = begin(parser, Diag::UnexpectedToken, range(at), at);
    if (!d) return;
    *d << found(at);
    const auto type = at->getType();
    if (type == Grammar::FILTER || type == Grammar::PIPELINE || type == Grammar::SPLITJOIN ||
        type == Grammar::FEEDBACKLOOP) {
        d->note(Diag::Hint) << "the declaration of a stream begins with its type, as in 'int->int'";
    }
}

// ---------------------------------------------------------------- places and texts

base::Diagnostic* ErrorStrategy::begin(Parser* parser, Diag id, SourceRange where,
                                       const Token* at) {
    beginErrorCondition(parser);
    if (isExplained(parser, at)) return nullptr;
    if (++reports > context.limits.errors) throw antlr4::ParseCancellationException();
    suggest();
    lastFault = &context.diags.add(id, where);
    meant = meantKeyword(parser, at);
    return lastFault;
}

/// Of the last fault, which has its words now. What is certain needs no suggestion.
void ErrorStrategy::suggest() {
    if (lastFault && !meant.empty() && lastFault->fixes.empty())
        lastFault->note(Diag::DidYouMean) << meant;
    lastFault = nullptr;
}

/// A mistyped keyword is a name where none should be: here, right before, or where the statement begins.
std::string ErrorStrategy::meantKeyword(Parser* parser, const Token* at) const {
    constexpr std::size_t leastLength = 3;
    auto& tokens = *parser->getTokenStream();
    std::vector<std::string> keywords;
    for (const Token* typed :
         {at, static_cast<const Token*>(previousToken(tokens, at)), statementStart(tokens, at)}) {
        if (!typed || typed->getType() != Grammar::ID || text(typed).size() < leastLength) continue;
        if (keywords.empty()) keywords = keywordsOf(*parser);
        base::SpellingSearch search(text(typed));
        for (const std::string& keyword : keywords) search.consider(keyword);
        if (!search.best().empty()) return std::string(search.best());
    }
    return {};
}

/// Whether a fault that is already reported makes this one: a bad character before it in the same line
/// and statement, or text swallowed by an open string.
bool ErrorStrategy::isExplained(Parser* parser, const Token* at) const {
    if (openText && at->getType() == Token::EOF) return true;
    auto& tokens = *parser->getTokenStream();
    for (std::size_t i = at->getTokenIndex(); i-- > 0;) {
        switch (tokens.get(i)->getType()) {
            case Grammar::BAD_CHARACTER:
            case Grammar::OPEN_COMMENT:
            case Grammar::OPEN_STRING:
            case Grammar::OPEN_CHARACTER: return true;
            case Grammar::LINE_COMMENT:
            case Grammar::BLOCK_COMMENT: break;
            case Grammar::SEMICOLON:
            case Grammar::LEFT_BRACE:
            case Grammar::RIGHT_BRACE: return false;
            default:
                if (tokens.get(i)->getLine() != at->getLine()) return false;
        }
    }
    return false;
}

SourceRange ErrorStrategy::range(const Token* token) const {
    return {buffer, static_cast<std::uint32_t>(token->getStartIndex()),
            static_cast<std::uint32_t>(token->getStopIndex() + 1)};
}

/// Where something is missing before `at`: at that token, unless it stands on a later line.
SourceRange ErrorStrategy::place(Parser* parser, const Token* at) const {
    const auto gap = before(parser, at);
    const auto between = source.substr(gap.begin, range(at).begin - gap.begin);
    return between.find('\n') == between.npos ? range(at) : gap;
}

/// The empty range after the token before `at`.
SourceRange ErrorStrategy::before(Parser* parser, const Token* at) const {
    const Token* last = previousToken(*parser->getTokenStream(), at);
    return last ? range(last).atEnd() : SourceRange{buffer, 0, 0};
}

bool ErrorStrategy::onNewLine(Parser* parser) const {
    const Token* at = parser->getCurrentToken();
    return place(parser, at) != range(at);
}

std::string_view ErrorStrategy::text(const Token* token) const {
    return context.sources.text(range(token));
}

std::string ErrorStrategy::found(const Token* token) const {
    constexpr std::size_t most = 40;
    if (token->getType() == Token::EOF) return "the end of the file";
    const auto lexeme = text(token);
    if (token->getType() == Grammar::STRING && lexeme.size() > most) return "a string";
    return fmt::format("'{}'", lexeme.substr(0, most));
}

}  // namespace strc::parser
