#include "repl/detail/declarer.h"

#include <algorithm>

#include "base/own_stack.h"
#include "parser/parse.h"

namespace strc::repl {

namespace {

std::string kindOf(const ast::Decl& decl) {
    switch (decl.kind) {
        case ast::DeclKind::Struct: return "struct";
        case ast::DeclKind::Native: return "native";
        case ast::DeclKind::Helper: return "helper";
        case ast::DeclKind::Static: return "static";
        default: break;
    }
    if (auto* stream = ast::tryAs<ast::StreamDecl>(&decl)) {
        switch (stream->stream) {
            case ast::StreamKind::Filter: return "filter";
            case ast::StreamKind::Pipeline: return "pipeline";
            case ast::StreamKind::SplitJoin: return "splitjoin";
            case ast::StreamKind::FeedbackLoop: return "feedbackloop";
        }
    }
    return {};
}

ast::Ident nameOf(const ast::Decl& decl) {
    if (auto* stream = ast::tryAs<ast::StreamDecl>(&decl)) return stream->name;
    if (auto* structure = ast::tryAs<ast::StructDecl>(&decl)) return structure->name;
    if (auto* native = ast::tryAs<ast::NativeDecl>(&decl)) return native->name;
    if (auto* helper = ast::tryAs<ast::HelperDecl>(&decl)) return helper->name;
    return {};
}

/// Declarations in a text, with the comments before them.
struct Parsed {
    std::vector<Declaration> declarations;
    std::vector<std::pair<std::size_t, std::size_t>> statics;  ///< static blocks: where they stand
    std::vector<Message> messages;
    bool isFine = true;
};

std::string oneLine(std::string_view text) {
    std::string line;
    for (char c : text) {
        const bool isSpace = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!isSpace)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return line;
}

Declaration declaration(const base::Context& context, const ast::Decl& decl, std::size_t from) {
    Declaration made;
    const std::string_view whole = context.sources.text(decl.range.buffer);
    from = std::min<std::size_t>(whole.find_first_not_of(" \t\r\n;", from), decl.range.begin);
    made.name = nameOf(decl).name.str();
    made.kind = kindOf(decl);
    auto* stream = ast::tryAs<ast::StreamDecl>(&decl);
    made.head =
        stream ? oneLine(context.sources.text(stream->header)) : made.kind + " " + made.name;
    made.text = whole.substr(from, decl.range.end - from);
    made.source = context.sources.name(decl.range.buffer);
    const base::LineColumn at =
        context.sources.position(decl.range.buffer, static_cast<std::uint32_t>(from));
    made.line = at.line;
    made.column = at.column;
    made.mentions = namesIn(made.text);
    made.mentions.erase(made.name);
    return made;
}

Parsed parseDeclarations(const std::string& source, const std::string& text, std::size_t begin,
                         const Output& output) {
    Parsed parsed;
    base::onOwnStack([&] {
        base::Context context;
        std::string masked = text;
        std::replace_if(
            masked.begin(), masked.begin() + static_cast<std::ptrdiff_t>(begin),
            [](char c) { return c != '\n'; }, ' ');
        const base::BufferId buffer = context.sources.add(source, masked);
        const ast::Unit& unit = parser::parse(context, buffer, output.callbacks.interrupt);
        context.diags.merge();
        for (const base::Diagnostic& each : context.diags.all())
            parsed.messages.push_back(toMessage(each, context.sources, output.callbacks.colour));
        parsed.isFine = !context.diags.hasErrors() && !output.isInterrupted();
        std::size_t from = begin;
        for (const ast::Decl* decl : unit.decls) {
            if (!parsed.isFine) break;
            if (decl->kind == ast::DeclKind::Static)
                parsed.statics.emplace_back(decl->range.begin, decl->range.end);
            else if (nameOf(*decl).name)
                parsed.declarations.push_back(declaration(context, *decl, from));
            from = decl->range.end;
        }
    });
    return parsed;
}

/// The variables that a declaration `T a = 1, b;` or a static block declares.
std::set<std::string, std::less<>> declaredIn(std::string_view text,
                                              const volatile bool* interrupt) {
    std::set<std::string, std::less<>> names;
    base::onOwnStack([&] {
        base::Context context;
        const base::BufferId buffer = context.sources.add("", std::string(text));
        const ast::Unit& unit = parser::parse(context, buffer, interrupt);
        for (const ast::Decl* decl : unit.decls) {
            auto* block = ast::tryAs<ast::StaticDecl>(decl);
            if (!block) continue;
            for (const ast::Decl* member : block->members)
                if (auto* fields = ast::tryAs<ast::FieldsDecl>(member))
                    for (const ast::Declarator& each : fields->variables->variables)
                        names.emplace(each.name.name.text());
        }
    });
    return names;
}

}  // namespace

void Declarer::declare(const Input& input) {
    declare(input, std::string(input.typed.substr(0, input.end)), false);
}

void Declarer::declare(const Input& input, const std::string& text, bool isQuiet) {
    Parsed parsed = parseDeclarations(input.name, text, input.begin, output);
    output.add(parsed.messages);
    if (!parsed.isFine) throw Failed();
    for (const Declaration& each : parsed.declarations)
        names.check(input, each.name, "declaration");
    Replaced before;
    for (const Declaration& each : parsed.declarations) {
        const Declaration* old = declarations.find(each.name);
        before.declarations.emplace(each.name, old ? std::optional(*old) : std::nullopt);
        declarations.put(each);
    }
    if (!parsed.statics.empty()) before.variables = declarations.variables;
    std::vector<const Declaration*> fresh;
    std::set<const Declaration*> seen;
    for (const Declaration& each : parsed.declarations)
        if (const Declaration* known = declarations.find(each.name); seen.insert(known).second)
            fresh.push_back(known);
    try {
        for (auto [begin, end] : parsed.statics) variables({text, input.name, begin, end});
        redefinitions.check(input, fresh, before, isQuiet);
    } catch (const Failed&) {
        for (auto& [name, old] : before.declarations) {
            declarations.remove(name);
            if (old) declarations.put(std::move(*old));
        }
        if (!parsed.statics.empty()) declarations.variables = std::move(before.variables);
        throw;
    }
}

void Declarer::variables(const Input& input) {
    MixedText text(input.typed);
    const bool isBlock = input.text().starts_with("static") || input.text().starts_with("global");
    if (!isBlock) text.own("static {\n");
    text.piece(input.begin, input.end);
    if (!isBlock) text.own(input.text().ends_with(";") ? "\n}\n" : ";\n}\n");
    const std::set<std::string, std::less<>> fresh =
        declaredIn(text.text(), output.callbacks.interrupt);
    output.stopIfInterrupted();
    for (const std::string& name : fresh) names.check(input, name, "variable");
    std::unique_ptr<Work> work = evaluator.run(input, text, {.fresh = fresh});
    std::map<std::string, std::string> before;  // types
    for (const std::string& name : fresh)
        if (auto old = declarations.variables.find(name); old != declarations.variables.end())
            before.emplace(name, old->second.type);
    evaluator.keepVariables(work->program, fresh, input.name);
    for (const auto& [name, type] : before) redefinitions.tellUsersOf(input, name, type);
}

}  // namespace strc::repl
