#include "ast/format_printer.h"
#include "ast/print.h"

namespace strc::ast {

std::string format(const Unit& unit, const base::SourceManager& sources) {
    Layout layout;
    FormatPrinter(unit, sources, layout).print();
    return layout.render();
}

void FormatPrinter::print() {
    for (const Decl* each : unit.decls) {
        strayTokens(nullptr, each->range.begin);
        tokens.lineBreak(BreakKind::Hard);
        declaration(*each);
    }
    strayTokens(nullptr, UINT32_MAX);
    tokens.finish();
}

void FormatPrinter::declaration(const Decl& decl) {
    switch (decl.kind) {
        case DeclKind::Error: STRC_UNREACHABLE("formatting a text that is not the language");
        case DeclKind::Struct: return structDecl(as<StructDecl>(decl));
        case DeclKind::Stream: return stream(as<StreamDecl>(decl));
        case DeclKind::Static:
            tokens.token(tokens.nextIs("static") ? "static" : "global");
            return members(as<StaticDecl>(decl).members, decl.range.end);
        case DeclKind::Native: {
            auto& native = as<NativeDecl>(decl);
            return package("native", native.name, native.functions, decl.range.end);
        }
        case DeclKind::Helper: {
            auto& helper = as<HelperDecl>(decl);
            return package("helper", helper.name, helper.functions, decl.range.end);
        }
        case DeclKind::Function: return function(as<FunctionDecl>(decl));
        case DeclKind::Handler: return handler(as<HandlerDecl>(decl));
        case DeclKind::Work: return work(as<WorkDecl>(decl));
        case DeclKind::Init: return initDecl(as<InitDecl>(decl));
        case DeclKind::Fields: variables(*as<FieldsDecl>(decl).variables); return tokens.token(";");
    }
}

// ---------------------------------------------------------------- packages of members

void FormatPrinter::members(std::span<const Decl* const> list, std::uint32_t end) {
    tokens.space();
    begin(GroupMode::All);
    BreakKind kind = openBlock(end, list.empty());
    for (std::size_t i = 0; i < list.size(); ++i) {
        strayTokens(nullptr, list[i]->range.begin);
        if (i > 0) tokens.lineBreak(kind);
        declaration(*list[i]);
    }
    strayTokens(nullptr, end);
    closeBlock(kind);
    layout.end();
}

void FormatPrinter::structDecl(const StructDecl& decl) {
    tokens.token("struct");
    tokens.space();
    tokens.token(decl.name.range);
    tokens.space();
    begin(GroupMode::All);
    BreakKind kind = openBlock(decl.range.end, decl.fields.empty());
    for (std::size_t i = 0; i < decl.fields.size(); ++i) {
        strayTokens(nullptr, decl.fields[i].type->range.begin);
        if (i > 0) tokens.lineBreak(kind);
        type(*decl.fields[i].type);
        tokens.space();
        tokens.token(decl.fields[i].name.range);
        tokens.token(";");
    }
    strayTokens(nullptr, decl.range.end);
    closeBlock(kind);
    layout.end();
}

void FormatPrinter::package(const char* keyword, Ident name,
                            std::span<const FunctionDecl* const> functions, std::uint32_t end) {
    tokens.token(keyword);
    tokens.space();
    tokens.token(name.range);
    std::vector<const Decl*> list(functions.begin(), functions.end());
    members(list, end);
}

/// A statement between the declarations of a static block is an `init` of its own in the tree.
void FormatPrinter::initDecl(const InitDecl& decl) {
    if (decl.range.begin < decl.body->range.begin) {
        tokens.token("init");
        return bodyBlock(*decl.body);
    }
    for (const Stmt* each : decl.body->statements) statement(*each);
}

// ---------------------------------------------------------------- functions

void FormatPrinter::parameters(std::span<const Parameter> params) {
    tokens.token("(");
    begin(GroupMode::Fill, continued);
    for (std::size_t i = 0; i < params.size(); ++i) {
        separator(i == 0);
        type(*params[i].type);
        tokens.space();
        tokens.token(params[i].name.range);
        if (!params[i].defaultValue) continue;
        tokens.space();
        tokens.token("=");
        tokens.space();
        expr(*params[i].defaultValue);
    }
    layout.end();
    tokens.token(")");
}

void FormatPrinter::function(const FunctionDecl& decl) {
    beginHeader();
    type(*decl.result);
    tokens.space();
    tokens.token(decl.name.range);
    parameters(decl.params);
    rates(decl.rates);
    endHeader();
    if (decl.body)
        bodyBlock(*decl.body);
    else
        tokens.token(";");
}

void FormatPrinter::handler(const HandlerDecl& decl) {
    beginHeader();
    tokens.token("handler");
    tokens.space();
    tokens.token(decl.name.range);
    parameters(decl.params);
    endHeader();
    bodyBlock(*decl.body);
}

void FormatPrinter::work(const WorkDecl& decl) {
    beginHeader();
    tokens.token(decl.prework ? "prework" : "work");
    rates(decl.rates);
    endHeader();
    bodyBlock(*decl.body);
}

// ---------------------------------------------------------------- rates

void FormatPrinter::rates(std::span<const RateClause> clauses) {
    for (const RateClause& clause : clauses) {
        tokens.lineBreak(BreakKind::Line);
        rate(clause);
    }
}

void FormatPrinter::rate(const RateClause& clause) {
    switch (clause.kind) {
        case RateKind::Push: tokens.token("push"); break;
        case RateKind::Pop: tokens.token("pop"); break;
        case RateKind::Peek: tokens.token("peek"); break;
    }
    tokens.space();
    if (!clause.dynamic)
        expr(*clause.value);
    else
        dynamicRate(clause);
}

void FormatPrinter::rateBound(const Expr* bound) {
    if (bound)
        expr(*bound);
    else
        tokens.token("*");
}

/// `*`, `[min, max]` or `[min, average, max]`; each of them may be a `*`.
void FormatPrinter::dynamicRate(const RateClause& clause) {
    if (!tokens.nextIs("[")) return tokens.token("*");
    tokens.token("[");
    rateBound(clause.min);
    tokens.token(",");
    tokens.space();
    if (clause.average || tokens.nextIs("*"))
        rateBound(clause.average);
    else
        rateBound(clause.max);
    if (tokens.nextIs(",")) {
        tokens.token(",");
        tokens.space();
        rateBound(clause.max);
    }
    tokens.token("]");
}

// ---------------------------------------------------------------- streams

void FormatPrinter::stream(const StreamDecl& decl) {
    streamHeader(decl);
    if (decl.stream == StreamKind::Filter)
        members(decl.members, decl.range.end);
    else
        bodyBlock(*decl.body);
}

void FormatPrinter::streamHeader(const StreamDecl& decl) {
    beginHeader();
    if (decl.input) {
        type(*decl.input);
        tokens.token("->");
        type(*decl.output);
        tokens.space();
    }
    if (decl.stateful) {
        tokens.token("stateful");
        tokens.space();
    }
    switch (decl.stream) {
        case StreamKind::Filter: tokens.token("filter"); break;
        case StreamKind::Pipeline: tokens.token("pipeline"); break;
        case StreamKind::SplitJoin: tokens.token("splitjoin"); break;
        case StreamKind::FeedbackLoop: tokens.token("feedbackloop"); break;
    }
    if (decl.name.name) {
        tokens.space();
        tokens.token(decl.name.range);
        if (tokens.nextIs("(")) parameters(decl.params);
    }
    endHeader();
}

}  // namespace strc::ast
