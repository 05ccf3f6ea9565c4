#include "sema/detail/checker.h"

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
        case CodeKind::Static: return "'static'";
        case CodeKind::Package: return "a package function";
        case CodeKind::Struct: return "a struct";
        case CodeKind::StreamType: return "the type of a stream";
        case CodeKind::Default: return "a default value";
        case CodeKind::FieldType: return "the type of a field";
        case CodeKind::FieldInit: return "the initialiser of a field";
        case CodeKind::Rate: return "a rate";
        case CodeKind::FunctionType: return "the type of a function";
        case CodeKind::Init: return "'init'";
        case CodeKind::Work: return "'work'";
        case CodeKind::Prework: return "'prework'";
        case CodeKind::Function: return "a function";
        case CodeKind::Handler: return "a handler";
        case CodeKind::Composite: return "a " + std::string(kindName(body.parts->kind));
    }
    STRC_UNREACHABLE("place of code");
}

}  // namespace strc::sema
