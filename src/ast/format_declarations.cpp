// The style of declarations.

#include "ast/detail/format_declarations.h"

#include "ast/detail/format_expressions.h"
#include "ast/detail/format_statements.h"
#include "ast/print.h"

namespace strc::ast {

namespace {

void declaration(FormatPrinter& p, const Decl& decl);

void structDecl(FormatPrinter& p, const StructDecl& decl) {
    p.tokens.token("struct");
    p.tokens.space();
    p.tokens.token(decl.name.range);
    p.tokens.space();
    p.begin(GroupMode::All);
    BreakKind kind = p.openBlock(decl.range.end, decl.fields.empty());
    for (std::size_t i = 0; i < decl.fields.size(); ++i) {
        p.strayTokens(nullptr, decl.fields[i].type->range.begin);
        if (i > 0) p.tokens.lineBreak(kind);
        type(p, *decl.fields[i].type);
        p.tokens.space();
        p.tokens.token(decl.fields[i].name.range);
        p.tokens.token(";");
    }
    p.strayTokens(nullptr, decl.range.end);
    p.closeBlock(kind);
    p.layout.end();
}

void members(FormatPrinter& p, std::span<const Decl* const> list, std::uint32_t end) {
    p.tokens.space();
    p.begin(GroupMode::All);
    BreakKind kind = p.openBlock(end, list.empty());
    for (std::size_t i = 0; i < list.size(); ++i) {
        p.strayTokens(nullptr, list[i]->range.begin);
        if (i > 0) p.tokens.lineBreak(kind);
        declaration(p, *list[i]);
    }
    p.strayTokens(nullptr, end);
    p.closeBlock(kind);
    p.layout.end();
}

void package(FormatPrinter& p, const char* keyword, Ident name,
             std::span<const FunctionDecl* const> functions, std::uint32_t end) {
    p.tokens.token(keyword);
    p.tokens.space();
    p.tokens.token(name.range);
    std::vector<const Decl*> list(functions.begin(), functions.end());
    members(p, list, end);
}

/// A statement between the declarations of a static block is an `init` of its own in the tree.
void initDecl(FormatPrinter& p, const InitDecl& decl) {
    if (decl.range.begin < decl.body->range.begin) {
        p.tokens.token("init");
        return bodyBlock(p, *decl.body);
    }
    for (const Stmt* each : decl.body->statements) statement(p, *each);
}

void parameters(FormatPrinter& p, std::span<const Parameter> params) {
    p.tokens.token("(");
    p.begin(GroupMode::Fill, p.continued);
    for (std::size_t i = 0; i < params.size(); ++i) {
        separator(p, i == 0);
        type(p, *params[i].type);
        p.tokens.space();
        p.tokens.token(params[i].name.range);
        if (!params[i].defaultValue) continue;
        p.tokens.space();
        p.tokens.token("=");
        p.tokens.space();
        expr(p, *params[i].defaultValue);
    }
    p.layout.end();
    p.tokens.token(")");
}

void rateBound(FormatPrinter& p, const Expr* bound) {
    if (bound)
        expr(p, *bound);
    else
        p.tokens.token("*");
}

/// `*`, `[min, max]` or `[min, average, max]`; each of them may be a `*`.
void dynamicRate(FormatPrinter& p, const RateClause& clause) {
    if (!p.tokens.nextIs("[")) return p.tokens.token("*");
    p.tokens.token("[");
    rateBound(p, clause.min);
    p.tokens.token(",");
    p.tokens.space();
    if (clause.average || p.tokens.nextIs("*"))
        rateBound(p, clause.average);
    else
        rateBound(p, clause.max);
    if (p.tokens.nextIs(",")) {
        p.tokens.token(",");
        p.tokens.space();
        rateBound(p, clause.max);
    }
    p.tokens.token("]");
}

void rate(FormatPrinter& p, const RateClause& clause) {
    switch (clause.kind) {
        case RateKind::Push: p.tokens.token("push"); break;
        case RateKind::Pop: p.tokens.token("pop"); break;
        case RateKind::Peek: p.tokens.token("peek"); break;
    }
    p.tokens.space();
    if (!clause.dynamic)
        expr(p, *clause.value);
    else
        dynamicRate(p, clause);
}

void rates(FormatPrinter& p, std::span<const RateClause> clauses) {
    for (const RateClause& clause : clauses) {
        p.tokens.lineBreak(BreakKind::Line);
        rate(p, clause);
    }
}

void function(FormatPrinter& p, const FunctionDecl& decl) {
    p.beginHeader();
    type(p, *decl.result);
    p.tokens.space();
    p.tokens.token(decl.name.range);
    parameters(p, decl.params);
    rates(p, decl.rates);
    p.endHeader();
    if (decl.body)
        bodyBlock(p, *decl.body);
    else
        p.tokens.token(";");
}

void handler(FormatPrinter& p, const HandlerDecl& decl) {
    p.beginHeader();
    p.tokens.token("handler");
    p.tokens.space();
    p.tokens.token(decl.name.range);
    parameters(p, decl.params);
    p.endHeader();
    bodyBlock(p, *decl.body);
}

void work(FormatPrinter& p, const WorkDecl& decl) {
    p.beginHeader();
    p.tokens.token(decl.prework ? "prework" : "work");
    rates(p, decl.rates);
    p.endHeader();
    bodyBlock(p, *decl.body);
}

void streamHeader(FormatPrinter& p, const StreamDecl& decl) {
    p.beginHeader();
    if (decl.input) {
        type(p, *decl.input);
        p.tokens.token("->");
        type(p, *decl.output);
        p.tokens.space();
    }
    if (decl.stateful) {
        p.tokens.token("stateful");
        p.tokens.space();
    }
    switch (decl.stream) {
        case StreamKind::Filter: p.tokens.token("filter"); break;
        case StreamKind::Pipeline: p.tokens.token("pipeline"); break;
        case StreamKind::SplitJoin: p.tokens.token("splitjoin"); break;
        case StreamKind::FeedbackLoop: p.tokens.token("feedbackloop"); break;
    }
    if (decl.name.name) {
        p.tokens.space();
        p.tokens.token(decl.name.range);
        if (p.tokens.nextIs("(")) parameters(p, decl.params);
    }
    p.endHeader();
}

}  // namespace

void stream(FormatPrinter& p, const StreamDecl& decl) {
    streamHeader(p, decl);
    if (decl.stream == StreamKind::Filter)
        members(p, decl.members, decl.range.end);
    else
        bodyBlock(p, *decl.body);
}

namespace {

void declaration(FormatPrinter& p, const Decl& decl) {
    switch (decl.kind) {
        case DeclKind::Error: STRC_UNREACHABLE("formatting a text that is not the language");
        case DeclKind::Struct: return structDecl(p, as<StructDecl>(decl));
        case DeclKind::Stream: return stream(p, as<StreamDecl>(decl));
        case DeclKind::Static:
            p.tokens.token(p.tokens.nextIs("static") ? "static" : "global");
            return members(p, as<StaticDecl>(decl).members, decl.range.end);
        case DeclKind::Native: {
            auto& native = as<NativeDecl>(decl);
            return package(p, "native", native.name, native.functions, decl.range.end);
        }
        case DeclKind::Helper: {
            auto& helper = as<HelperDecl>(decl);
            return package(p, "helper", helper.name, helper.functions, decl.range.end);
        }
        case DeclKind::Function: return function(p, as<FunctionDecl>(decl));
        case DeclKind::Handler: return handler(p, as<HandlerDecl>(decl));
        case DeclKind::Work: return work(p, as<WorkDecl>(decl));
        case DeclKind::Init: return initDecl(p, as<InitDecl>(decl));
        case DeclKind::Fields:
            variables(p, *as<FieldsDecl>(decl).variables);
            return p.tokens.token(";");
    }
}

void print(FormatPrinter& p, const Unit& unit) {
    for (const Decl* each : unit.decls) {
        p.strayTokens(nullptr, each->range.begin);
        p.tokens.lineBreak(BreakKind::Hard);
        declaration(p, *each);
    }
    p.strayTokens(nullptr, UINT32_MAX);
    p.tokens.finish();
}

}  // namespace

std::string format(const Unit& unit, const base::SourceManager& sources) {
    Layout layout;
    FormatPrinter printer(unit, sources, layout);
    print(printer, unit);
    return layout.render();
}

}  // namespace strc::ast
