// Declarations, types and variables.

#include <array>
#include <string>

#include <fmt/format.h>

#include "parser/detail/builder.h"

namespace strc::parser {

using base::Diag;
using base::SourceRange;

// ---------------------------------------------------------------- ranges and names

Builder::Levels::Levels(Builder& builder, std::size_t count, const Token* where)
    : builder(builder), count(count) {
    const std::size_t limit = builder.context.limits.treeDepth;
    builder.depth += count;
    fits = builder.depth <= limit;
    if (fits) return;
    (builder.report(Diag::NestingTooDeep, builder.range(where)) << static_cast<std::int64_t>(limit))
            .note(Diag::Hint)
        << "each operator or 'else if' of a chain counts as a level: split it with a variable";
}

SourceRange Builder::range(const Token* token) const {
    return {buffer, static_cast<std::uint32_t>(token->getStartIndex()),
            static_cast<std::uint32_t>(token->getStopIndex() + 1)};
}

SourceRange Builder::range(const Token* first, const Token* last) const {
    return range(first).to(range(last));
}

/// Nothing where nothing was read.
SourceRange Builder::range(const antlr4::ParserRuleContext* c) const {
    if (!c || !c->start) return {buffer, 0, 0};
    const auto first = range(c->start);
    if (!c->stop || c->stop->getTokenIndex() < c->start->getTokenIndex()) return first.atBegin();
    return first.to(range(c->stop));
}

ast::Ident Builder::ident(const Token* token) {
    return {context.names.intern(text(token)), range(token)};
}

void Builder::reportUnexpected(const Token* token, std::string_view hint) {
    (report(Diag::UnexpectedToken, range(token)) << fmt::format("'{}'", text(token)))
            .note(Diag::Hint)
        << hint;
}

// ---------------------------------------------------------------- declarations

const ast::Decl* Builder::declaration(Grammar::DeclarationContext* c) {
    if (!c || c->exception) return decl<ast::ErrorDecl>(range(c));
    if (c->streamItem) return streamDecl(c->streamItem);
    if (c->structItem) return structDecl(c->structItem);
    if (c->staticItem) return staticDecl(c->staticItem);
    if (c->nativeItem) return nativeDecl(c->nativeItem);
    return helperDecl(c->helperItem);
}

const ast::Decl* Builder::structDecl(Grammar::StructDeclarationContext* c) {
    std::vector<ast::StructField> fields;
    for (auto* declared : c->fields) {
        if (declared->exception) continue;
        const auto* fieldType = type(declared->declared);
        if (declared->items.size() > 1) report(Diag::StructFieldList, range(declared));
        for (auto* item : declared->items) {
            fields.push_back({nextId(), fieldType, ident(item->name)});
            if (!item->value) continue;
            report(Diag::StructFieldInitializer, range(item->value)) << text(item->name);
        }
    }
    return decl<ast::StructDecl>(range(c), ident(c->name), copy(fields));
}

/// `static { ... }`, or `global { ... }`: anything else before a block is no declaration.
const ast::Decl* Builder::staticDecl(Grammar::StaticBlockContext* c) {
    if (c->name && text(c->name) != "global") {
        report(Diag::UnexpectedToken, range(c->name)) << fmt::format("'{}'", text(c->name));
        return decl<ast::ErrorDecl>(range(c));
    }
    const auto outer = std::exchange(inside, "static block");
    std::vector<const ast::Decl*> items;
    for (auto* item : c->body->statements) items.push_back(staticMember(item));
    inside = outer;
    return decl<ast::StaticDecl>(range(c), copy(items));
}

const ast::Decl* Builder::staticMember(Grammar::StatementContext* c) {
    if (c->plain && c->plain->init && !c->exception) return init(c->plain->init);
    const auto* item = statement(c);
    if (const auto* fields = ast::tryAs<ast::VariablesStmt>(item)) {
        return decl<ast::FieldsDecl>(item->range, fields);
    }
    const std::vector<const ast::Stmt*> only{item};
    return decl<ast::InitDecl>(item->range, stmt<ast::BlockStmt>(item->range, copy(only)));
}

const ast::Decl* Builder::nativeDecl(Grammar::NativeDeclarationContext* c) {
    std::vector<const ast::FunctionDecl*> functions;
    for (auto* item : c->prototypes) {
        if (item->exception) continue;
        auto* node = decl<ast::FunctionDecl>(range(item));
        node->result = type(item->result);
        node->name = ident(item->name);
        node->params = parameters(item->parameters, false);
        functions.push_back(node);
    }
    return decl<ast::NativeDecl>(range(c), ident(c->name), copy(functions));
}

const ast::Decl* Builder::helperDecl(Grammar::HelperDeclarationContext* c) {
    std::vector<const ast::FunctionDecl*> functions;
    for (auto* item : c->functions) {
        if (!item->exception) functions.push_back(function(item));
    }
    return decl<ast::HelperDecl>(range(c), ident(c->name), copy(functions));
}

const ast::FunctionDecl* Builder::function(Grammar::FunctionContext* c) {
    auto* node = decl<ast::FunctionDecl>(range(c));
    node->result = type(c->result);
    node->name = ident(c->name);
    node->params = parameters(c->parameters, false);
    node->rates = rates(c->rates);
    node->body = block(c->body, "function");
    return node;
}

std::span<const ast::Parameter> Builder::parameters(Grammar::FormalsContext* c, bool defaults) {
    std::vector<ast::Parameter> items;
    for (auto* formal : c->items) {
        const auto* declared = type(formal->declared);
        const ast::Expr* value = formal->value ? initialiser(formal->value) : nullptr;
        if (value && !defaults) {
            reportUnexpected(formal->equals, "only parameters of streams have default values");
            value = nullptr;
        }
        items.push_back({nextId(), declared, ident(formal->name), value});
    }
    return copy(items);
}

// ---------------------------------------------------------------- streams

namespace {

struct Kind {
    ast::StreamKind kind;
    std::string_view word;
};

/// `keyword` is null for a filter.
Kind kindOf(const Token* keyword) {
    if (!keyword) return {ast::StreamKind::Filter, "filter"};
    switch (keyword->getType()) {
        case Grammar::PIPELINE: return {ast::StreamKind::Pipeline, "pipeline"};
        case Grammar::SPLITJOIN: return {ast::StreamKind::SplitJoin, "splitjoin"};
        default: return {ast::StreamKind::FeedbackLoop, "feedbackloop"};
    }
}

/// The library has streams named `add` and `split`; a program's own ones take their places.
bool mayNameStream(const Token* name) {
    return name->getType() == Grammar::ID || name->getType() == Grammar::ADD ||
           name->getType() == Grammar::SPLIT;
}

}  // namespace

const ast::Decl* Builder::streamDecl(Grammar::StreamDeclarationContext* c) {
    const auto kind = kindOf(c->kind);
    auto* node = decl<ast::StreamDecl>(range(c));
    node->stream = kind.kind;
    node->stateful = c->stateful != nullptr;
    node->input = type(c->input);
    node->output = type(c->output);
    if (c->stateful && c->kind) checkStateful(c->stateful, c->kind);
    const Token* name = c->name->start;
    if (!mayNameStream(name) && !context.sources.isLibrary(buffer))
        report(Diag::KeywordAsName, range(name)) << text(name);
    node->name = ident(name);
    node->header = range(c->start, c->parameters ? c->parameters->close : name);
    if (c->parameters) node->params = parameters(c->parameters, true);
    if (c->filter)
        node->members = members(c->filter);
    else
        node->body = block(c->composite, kind.word);
    return node;
}

const ast::StreamDecl* Builder::anonymous(Grammar::CreatorContext* c) {
    auto* body = c->anonymous;
    const auto kind = kindOf(body->kind);
    const Token* first = c->input ? c->start : body->start;
    const Token* last = body->filter ? body->filter->stop : body->composite->stop;
    auto* node = decl<ast::StreamDecl>(range(first, last));
    node->stream = kind.kind;
    node->stateful = body->stateful != nullptr;
    if (c->input) {
        node->input = type(c->input);
        node->output = type(c->output);
    }
    if (body->stateful && body->kind) checkStateful(body->stateful, body->kind);
    const Token* keyword = body->kind ? body->kind : body->filterWord;
    node->header = range(first, keyword);
    if (body->filter)
        node->members = members(body->filter);
    else
        node->body = block(body->composite, kind.word);
    return node;
}

void Builder::checkStateful(const Token* stateful, const Token* kind) {
    const auto word = range(stateful);
    (report(Diag::StatefulComposite, word) << text(kind))
        .fix({buffer, word.begin, range(kind).begin}, "");
}

std::span<const ast::Decl* const> Builder::members(Grammar::FilterBodyContext* c) {
    std::vector<const ast::Decl*> items;
    items.reserve(c->members.size());
    for (auto* item : c->members) items.push_back(member(item));
    return copy(items);
}

const ast::Decl* Builder::member(Grammar::MemberContext* c) {
    const auto where = range(c);
    if (c->exception) return decl<ast::ErrorDecl>(where);
    if (c->init) return init(c->init);
    if (c->work) return work(c->work);
    if (c->handler) return handler(c->handler, where);
    if (c->typedHandler) {
        const Token* name = c->typedHandler->name;
        report(Diag::HandlerResultType, range(c->declared)) << text(name);
        return handler(c->typedHandler, where);
    }
    const auto* declared = type(c->declared);
    if (c->parameters) {
        auto* node = decl<ast::FunctionDecl>(where);
        node->result = declared;
        node->name = ident(c->name);
        node->params = parameters(c->parameters, false);
        node->rates = rates(c->rates);
        node->body = block(c->body, "function");
        return node;
    }
    std::vector<ast::Declarator> items{declarator(c->name, c->value)};
    for (auto* item : c->others) items.push_back(declarator(item->name, item->value));
    const auto* fields = stmt<ast::VariablesStmt>(where, declared, copy(items));
    return decl<ast::FieldsDecl>(where, fields);
}

const ast::Decl* Builder::work(Grammar::WorkDeclarationContext* c) {
    const bool prework = c->start->getType() == Grammar::PREWORK;
    const Token* last = c->rates.empty() ? c->start : c->rates.back()->stop;
    const auto clauses = rates(c->rates);
    return decl<ast::WorkDecl>(range(c), prework, range(c->start, last), clauses,
                               block(c->body, "function"));
}

const ast::Decl* Builder::handler(Grammar::HandlerDeclarationContext* c, SourceRange where) {
    const auto formals = parameters(c->parameters, false);
    return decl<ast::HandlerDecl>(where, ident(c->name), formals, block(c->body, "function"));
}

const ast::Decl* Builder::init(Grammar::InitBlockContext* c) {
    return decl<ast::InitDecl>(range(c), block(c->body, "function"));
}

// ---------------------------------------------------------------- rates

std::span<const ast::RateClause> Builder::rates(
    const std::vector<Grammar::RateClauseContext*>& list) {
    std::vector<ast::RateClause> items;
    for (auto* clause : list) {
        items.push_back(rate(clause));
        for (std::size_t i = 0; i + 1 < items.size(); i++) {
            if (items[i].kind != items.back().kind) continue;
            const auto word = text(clause->start);
            (report(Diag::DuplicateRate, items.back().range) << word)
                    .note(Diag::DeclaredHere, items[i].range)
                << word;
            items.pop_back();
            break;
        }
    }
    return copy(items);
}

ast::RateClause Builder::rate(Grammar::RateClauseContext* c) {
    ast::RateClause clause{};
    switch (c->start->getType()) {
        case Grammar::PUSH: clause.kind = ast::RateKind::Push; break;
        case Grammar::POP: clause.kind = ast::RateKind::Pop; break;
        default: clause.kind = ast::RateKind::Peek; break;
    }
    clause.range = range(c);
    if (c->exception) {
        clause.value = errorExpr(clause.range);
        return clause;
    }
    clause.dynamic = c->star || !c->bounds.empty();
    if (c->value) clause.value = expression(c->value);
    if (c->bounds.empty()) return clause;
    const auto bound = [&](Grammar::RateBoundContext* b) {
        return b->star ? nullptr : expression(b->value);
    };
    clause.min = bound(c->bounds[0]);
    if (c->bounds.size() == 3) clause.average = bound(c->bounds[1]);
    clause.max = bound(c->bounds.back());
    return clause;
}

}  // namespace strc::parser
