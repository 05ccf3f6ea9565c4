#include "sema/checker.h"

#include "base/spelling.h"

namespace strc::sema {
namespace {

/// A program with so many mistakes gets no further advice.
constexpr unsigned kSuggestions = 200;

}  // namespace

Diagnostic& Checker::error(Diag id, SourceRange range) { return ctx.diags.add(id, range); }

Diagnostic& Checker::warn(Diag id, SourceRange range) {
    if (!isLibrary) return ctx.diags.add(id, range);
    scratch = Diagnostic();
    return scratch;
}

bool Checker::maySuggest() { return suggestions++ < kSuggestions; }

void Checker::suggest(Diagnostic& diag, SourceRange where, std::string_view name) {
    if (name.empty()) return;
    diag.note(Diag::DidYouMean) << name;
    diag.fix(where, std::string(name));
}

Symbol* Checker::makeSymbol(SymbolKind kind, ast::Ident name, const Type* type) {
    Symbol& symbol = program.symbols.emplace_back();
    symbol.kind = kind;
    symbol.name = name.name;
    symbol.type = type;
    symbol.range = name.range;
    return &symbol;
}

std::string_view kindName(ast::StreamKind kind) {
    switch (kind) {
        case ast::StreamKind::Filter: return "filter";
        case ast::StreamKind::Pipeline: return "pipeline";
        case ast::StreamKind::SplitJoin: return "splitjoin";
        case ast::StreamKind::FeedbackLoop: return "feedbackloop";
    }
    STRC_UNREACHABLE("kind of stream");
}

std::string displayName(const StreamInfo& stream) {
    if (stream.name) return std::string(stream.name.text());
    return std::string(stream.decl ? kindName(stream.decl->stream) : "filter");
}

std::string describe(const StreamInfo& stream) {
    std::string kind(stream.decl ? kindName(stream.decl->stream) : "filter");
    if (!stream.name) return "this " + kind;
    return kind + " '" + std::string(stream.name.text()) + "'";
}

std::string describe(const Body& body) {
    switch (body.place) {
        case Place::Static: return "'static'";
        case Place::Package: return "a package function";
        case Place::Struct: return "a struct";
        case Place::StreamType: return "the type of a stream";
        case Place::Default: return "a default value";
        case Place::FieldType: return "the type of a field";
        case Place::FieldInit: return "the initialiser of a field";
        case Place::Rate: return "a rate";
        case Place::FunctionType: return "the type of a function";
        case Place::Init: return "'init'";
        case Place::Work: return "'work'";
        case Place::Prework: return "'prework'";
        case Place::Function: return "a function";
        case Place::Handler: return "a handler";
        case Place::Composite: return "a " + std::string(kindName(body.parts->kind));
    }
    STRC_UNREACHABLE("place of code");
}

}  // namespace strc::sema
