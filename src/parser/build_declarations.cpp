// Declarations and the members of streams.

#include "parser/detail/build_declarations.h"

#include <fmt/format.h>

#include "parser/detail/build_expressions.h"
#include "parser/detail/build_statements.h"
#include "parser/detail/build_types.h"

namespace strc::parser {

using base::Diag;
using base::SourceRange;

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

void checkStateful(Builder& b, const Token* stateful, const Token* kind) {
    const auto word = b.range(stateful);
    (b.report(Diag::StatefulComposite, word) << b.text(kind))
        .fix({b.buffer, word.begin, b.range(kind).begin}, "");
}

std::span<const ast::Parameter> parameters(Builder& b, Grammar::FormalsContext* c, bool defaults) {
    std::vector<ast::Parameter> items;
    for (auto* formal : c->items) {
        const auto* declared = type(b, formal->declared);
        const ast::Expr* value = formal->value ? initialiser(b, formal->value) : nullptr;
        if (value && !defaults) {
            b.reportUnexpected(formal->equals, "only parameters of streams have default values");
            value = nullptr;
        }
        items.push_back({b.nextId(), declared, b.ident(formal->name), value});
    }
    return b.copy(items);
}

ast::RateClause rate(Builder& b, Grammar::RateClauseContext* c) {
    ast::RateClause clause{};
    switch (c->start->getType()) {
        case Grammar::PUSH: clause.kind = ast::RateKind::Push; break;
        case Grammar::POP: clause.kind = ast::RateKind::Pop; break;
        default: clause.kind = ast::RateKind::Peek; break;
    }
    clause.range = b.range(c);
    if (c->exception) {
        clause.value = b.errorExpr(clause.range);
        return clause;
    }
    clause.dynamic = c->star || !c->bounds.empty();
    if (c->value) clause.value = expression(b, c->value);
    if (c->bounds.empty()) return clause;
    const auto bound = [&](Grammar::RateBoundContext* each) {
        return each->star ? nullptr : expression(b, each->value);
    };
    clause.min = bound(c->bounds[0]);
    if (c->bounds.size() == 3) clause.average = bound(c->bounds[1]);
    clause.max = bound(c->bounds.back());
    return clause;
}

std::span<const ast::RateClause> rates(Builder& b,
                                       const std::vector<Grammar::RateClauseContext*>& list) {
    std::vector<ast::RateClause> items;
    for (auto* clause : list) {
        items.push_back(rate(b, clause));
        for (std::size_t i = 0; i + 1 < items.size(); i++) {
            if (items[i].kind != items.back().kind) continue;
            const auto word = b.text(clause->start);
            (b.report(Diag::DuplicateRate, items.back().range) << word)
                    .note(Diag::DeclaredHere, items[i].range)
                << word;
            items.pop_back();
            break;
        }
    }
    return b.copy(items);
}

const ast::Decl* init(Builder& b, Grammar::InitBlockContext* c) {
    return b.decl<ast::InitDecl>(b.range(c), block(b, c->body, "function"));
}

const ast::Decl* structDecl(Builder& b, Grammar::StructDeclarationContext* c) {
    std::vector<ast::StructField> fields;
    for (auto* declared : c->fields) {
        if (declared->exception) continue;
        const auto* fieldType = type(b, declared->declared);
        if (declared->items.size() > 1) b.report(Diag::StructFieldList, b.range(declared));
        for (auto* item : declared->items) {
            fields.push_back({b.nextId(), fieldType, b.ident(item->name)});
            if (!item->value) continue;
            b.report(Diag::StructFieldInitializer, b.range(item->value)) << b.text(item->name);
        }
    }
    return b.decl<ast::StructDecl>(b.range(c), b.ident(c->name), b.copy(fields));
}

const ast::Decl* staticMember(Builder& b, Grammar::StatementContext* c) {
    if (c->plain && c->plain->init && !c->exception) return init(b, c->plain->init);
    const auto* item = statement(b, c);
    if (const auto* fields = ast::tryAs<ast::VariablesStmt>(item)) {
        return b.decl<ast::FieldsDecl>(item->range, fields);
    }
    const std::vector<const ast::Stmt*> only{item};
    return b.decl<ast::InitDecl>(item->range, b.stmt<ast::BlockStmt>(item->range, b.copy(only)));
}

/// `static { ... }`, or `global { ... }`: anything else before a block is no declaration.
const ast::Decl* staticDecl(Builder& b, Grammar::StaticBlockContext* c) {
    if (c->name && b.text(c->name) != "global") {
        b.report(Diag::UnexpectedToken, b.range(c->name)) << fmt::format("'{}'", b.text(c->name));
        return b.decl<ast::ErrorDecl>(b.range(c));
    }
    const auto outer = std::exchange(b.inside, "static block");
    std::vector<const ast::Decl*> items;
    for (auto* item : c->body->statements) items.push_back(staticMember(b, item));
    b.inside = outer;
    return b.decl<ast::StaticDecl>(b.range(c), b.copy(items));
}

const ast::Decl* nativeDecl(Builder& b, Grammar::NativeDeclarationContext* c) {
    std::vector<const ast::FunctionDecl*> functions;
    for (auto* item : c->prototypes) {
        if (item->exception) continue;
        auto* node = b.decl<ast::FunctionDecl>(b.range(item));
        node->result = type(b, item->result);
        node->name = b.ident(item->name);
        node->params = parameters(b, item->parameters, false);
        functions.push_back(node);
    }
    return b.decl<ast::NativeDecl>(b.range(c), b.ident(c->name), b.copy(functions));
}

const ast::FunctionDecl* function(Builder& b, Grammar::FunctionContext* c) {
    auto* node = b.decl<ast::FunctionDecl>(b.range(c));
    node->result = type(b, c->result);
    node->name = b.ident(c->name);
    node->params = parameters(b, c->parameters, false);
    node->rates = rates(b, c->rates);
    node->body = block(b, c->body, "function");
    return node;
}

const ast::Decl* helperDecl(Builder& b, Grammar::HelperDeclarationContext* c) {
    std::vector<const ast::FunctionDecl*> functions;
    for (auto* item : c->functions) {
        if (!item->exception) functions.push_back(function(b, item));
    }
    return b.decl<ast::HelperDecl>(b.range(c), b.ident(c->name), b.copy(functions));
}

const ast::Decl* handler(Builder& b, Grammar::HandlerDeclarationContext* c, SourceRange where) {
    const auto formals = parameters(b, c->parameters, false);
    return b.decl<ast::HandlerDecl>(where, b.ident(c->name), formals,
                                    block(b, c->body, "function"));
}

const ast::Decl* work(Builder& b, Grammar::WorkDeclarationContext* c) {
    const bool prework = c->start->getType() == Grammar::PREWORK;
    const Token* last = c->rates.empty() ? c->start : c->rates.back()->stop;
    const auto clauses = rates(b, c->rates);
    return b.decl<ast::WorkDecl>(b.range(c), prework, b.range(c->start, last), clauses,
                                 block(b, c->body, "function"));
}

const ast::Decl* member(Builder& b, Grammar::MemberContext* c) {
    const auto where = b.range(c);
    if (c->exception) return b.decl<ast::ErrorDecl>(where);
    if (c->init) return init(b, c->init);
    if (c->work) return work(b, c->work);
    if (c->handler) return handler(b, c->handler, where);
    if (c->typedHandler) {
        const Token* name = c->typedHandler->name;
        b.report(Diag::HandlerResultType, b.range(c->declared)) << b.text(name);
        return handler(b, c->typedHandler, where);
    }
    const auto* declared = type(b, c->declared);
    if (c->parameters) {
        auto* node = b.decl<ast::FunctionDecl>(where);
        node->result = declared;
        node->name = b.ident(c->name);
        node->params = parameters(b, c->parameters, false);
        node->rates = rates(b, c->rates);
        node->body = block(b, c->body, "function");
        return node;
    }
    std::vector<ast::Declarator> items{declarator(b, c->name, c->value)};
    for (auto* item : c->others) items.push_back(declarator(b, item->name, item->value));
    const auto* fields = b.stmt<ast::VariablesStmt>(where, declared, b.copy(items));
    return b.decl<ast::FieldsDecl>(where, fields);
}

std::span<const ast::Decl* const> members(Builder& b, Grammar::FilterBodyContext* c) {
    std::vector<const ast::Decl*> items;
    items.reserve(c->members.size());
    for (auto* item : c->members) items.push_back(member(b, item));
    return b.copy(items);
}

const ast::Decl* streamDecl(Builder& b, Grammar::StreamDeclarationContext* c) {
    const auto kind = kindOf(c->kind);
    auto* node = b.decl<ast::StreamDecl>(b.range(c));
    node->stream = kind.kind;
    node->stateful = c->stateful != nullptr;
    node->input = type(b, c->input);
    node->output = type(b, c->output);
    if (c->stateful && c->kind) checkStateful(b, c->stateful, c->kind);
    const Token* name = c->name->start;
    if (!mayNameStream(name) && !b.context.sources.isLibrary(b.buffer))
        b.report(Diag::KeywordAsName, b.range(name)) << b.text(name);
    node->name = b.ident(name);
    node->header = b.range(c->start, c->parameters ? c->parameters->close : name);
    if (c->parameters) node->params = parameters(b, c->parameters, true);
    if (c->filter)
        node->members = members(b, c->filter);
    else
        node->body = block(b, c->composite, kind.word);
    return node;
}

}  // namespace

const ast::Decl* declaration(Builder& b, Grammar::DeclarationContext* c) {
    if (!c || c->exception) return b.decl<ast::ErrorDecl>(b.range(c));
    if (c->streamItem) return streamDecl(b, c->streamItem);
    if (c->structItem) return structDecl(b, c->structItem);
    if (c->staticItem) return staticDecl(b, c->staticItem);
    if (c->nativeItem) return nativeDecl(b, c->nativeItem);
    return helperDecl(b, c->helperItem);
}

const ast::StreamDecl* anonymous(Builder& b, Grammar::CreatorContext* c) {
    auto* body = c->anonymous;
    const auto kind = kindOf(body->kind);
    const Token* first = c->input ? c->start : body->start;
    const Token* last = body->filter ? body->filter->stop : body->composite->stop;
    auto* node = b.decl<ast::StreamDecl>(b.range(first, last));
    node->stream = kind.kind;
    node->stateful = body->stateful != nullptr;
    if (c->input) {
        node->input = type(b, c->input);
        node->output = type(b, c->output);
    }
    if (body->stateful && body->kind) checkStateful(b, body->stateful, body->kind);
    const Token* keyword = body->kind ? body->kind : body->filterWord;
    node->header = b.range(first, keyword);
    if (body->filter)
        node->members = members(b, body->filter);
    else
        node->body = block(b, body->composite, kind.word);
    return node;
}

}  // namespace strc::parser
