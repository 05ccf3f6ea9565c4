#include "ast/write.h"

#include "ast/detail/writer.h"
#include "ast/spelling.h"

namespace strc::ast {

namespace {

void member(Writer& w, const Decl& decl);

void parameters(Writer& w, std::span<const Parameter> params) {
    w.text("(");
    for (std::size_t k = 0; k < params.size(); ++k) {
        if (k > 0) w.text(", ");
        write(w, *params[k].type);
        w.text(" ");
        w.text(params[k].name.name.text());
        if (!params[k].defaultValue) continue;
        w.text(" = ");
        write(w, *params[k].defaultValue);
    }
    w.text(")");
}

void bound(Writer& w, const Expr* value) {
    if (value)
        write(w, *value);
    else
        w.text("*");
}

void rates(Writer& w, std::span<const RateClause> clauses) {
    for (const RateClause& clause : clauses) {
        w.text(" ");
        w.text(spelling(clause.kind));
        w.text(" ");
        if (!clause.dynamic) {
            write(w, *clause.value);
        } else if (!clause.min && !clause.average && !clause.max) {
            w.text("*");
        } else {
            w.text("[");
            bound(w, clause.min);
            if (clause.average) {
                w.text(", ");
                write(w, *clause.average);
            }
            w.text(", ");
            bound(w, clause.max);
            w.text("]");
        }
    }
}

void function(Writer& w, const FunctionDecl& decl) {
    write(w, *decl.result);
    w.text(" ");
    w.text(decl.name.name.text());
    parameters(w, decl.params);
    rates(w, decl.rates);
    if (!decl.body) return w.line(";");
    w.text(" ");
    write(w, *decl.body);
}

void members(Writer& w, std::span<const Decl* const> list) {
    w.open();
    for (const Decl* each : list) member(w, *each);
    w.close();
}

void package(Writer& w, std::string_view keyword, Name name,
             std::span<const FunctionDecl* const> functions) {
    w.text(keyword);
    w.text(" ");
    w.text(name.text());
    w.open();
    for (const FunctionDecl* each : functions) function(w, *each);
    w.close();
}

void structure(Writer& w, const StructDecl& decl) {
    w.text("struct ");
    w.text(decl.name.name.text());
    w.open();
    for (const StructField& field : decl.fields) {
        write(w, *field.type);
        w.text(" ");
        w.text(field.name.name.text());
        w.line(";");
    }
    w.close();
}

void work(Writer& w, const WorkDecl& decl) {
    w.text(decl.prework ? "prework" : "work");
    rates(w, decl.rates);
    w.text(" ");
    write(w, *decl.body);
}

/// Stray statements of a static block are `init`s in the tree, and mean the same.
void member(Writer& w, const Decl& decl) {
    switch (decl.kind) {
        case DeclKind::Error: STRC_UNREACHABLE("writing a text that is not the language");
        case DeclKind::Struct: return structure(w, as<StructDecl>(decl));
        case DeclKind::Stream: return writeStream(w, as<StreamDecl>(decl));
        case DeclKind::Static: w.text("static"); return members(w, as<StaticDecl>(decl).members);
        case DeclKind::Native: {
            const auto& native = as<NativeDecl>(decl);
            return package(w, "native", native.name.name, native.functions);
        }
        case DeclKind::Helper: {
            const auto& helper = as<HelperDecl>(decl);
            return package(w, "helper", helper.name.name, helper.functions);
        }
        case DeclKind::Function: return function(w, as<FunctionDecl>(decl));
        case DeclKind::Handler: {
            const auto& handler = as<HandlerDecl>(decl);
            w.text("handler ");
            w.text(handler.name.name.text());
            parameters(w, handler.params);
            w.text(" ");
            return write(w, *handler.body);
        }
        case DeclKind::Work: return work(w, as<WorkDecl>(decl));
        case DeclKind::Init: w.text("init "); return write(w, *as<InitDecl>(decl).body);
        case DeclKind::Fields: return write(w, *as<FieldsDecl>(decl).variables);
    }
}

}  // namespace

void writeStream(Writer& w, const StreamDecl& decl) {
    if (decl.input) {
        write(w, *decl.input);
        w.text("->");
        write(w, *decl.output);
        w.text(" ");
    }
    if (decl.stateful) w.text("stateful ");
    w.text(spelling(decl.stream));
    if (decl.name.name) {
        w.text(" ");
        w.text(decl.name.name.text());
        if (!decl.params.empty()) parameters(w, decl.params);
    }
    if (decl.stream == StreamKind::Filter) return members(w, decl.members);
    w.text(" ");
    write(w, *decl.body);
}

std::string write(const Unit& unit) {
    Writer writer;
    for (const Decl* each : unit.decls) {
        member(writer, *each);
        writer.line("");
    }
    return writer.take();
}

}  // namespace strc::ast
