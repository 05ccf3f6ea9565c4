// Declares streams, functions and variables, and tells of those that use a name whose meaning changes.

#include <algorithm>

#include <fmt/format.h>

#include "base/own_stack.h"
#include "parser/parse.h"
#include "repl/state.h"

namespace strc::repl {

using base::Diag;

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
                         const Callbacks& callbacks) {
    Parsed parsed;
    base::onOwnStack([&] {
        base::Context context;
        std::string masked = text;
        std::replace_if(
            masked.begin(), masked.begin() + static_cast<std::ptrdiff_t>(begin),
            [](char c) { return c != '\n'; }, ' ');
        const base::BufferId buffer = context.sources.add(source, masked);
        const ast::Unit& unit = parser::parse(context, buffer, callbacks.interrupt);
        context.diags.merge();
        for (const base::Diagnostic& each : context.diags.all())
            parsed.messages.push_back(toMessage(each, context.sources, callbacks.colour));
        parsed.isFine = !context.diags.hasErrors() && !isInterrupted(callbacks);
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

/// The name may yet be declared.
bool isAboutMissing(const base::Diagnostic& diag) {
    return diag.id == Diag::UnknownStream || diag.id == Diag::UnknownType ||
           diag.id == Diag::UnknownPackage;
}

/// An error in one of the declarations.
bool isBreach(const base::Diagnostic& diag, const std::vector<const Declaration*>& list,
              const base::SourceManager& sources) {
    return base::info(diag.id).severity == base::Severity::Error && !isAboutMissing(diag) &&
           std::any_of(list.begin(), list.end(), [&](const Declaration* each) {
               return standsIn(diag.range, *each, sources);
           });
}

/// "int->int" of a stream.
std::string_view typeIn(std::string_view head) {
    for (std::string_view kind :
         {" filter", " pipeline", " splitjoin", " feedbackloop", " stateful"})
        head = head.substr(0, head.find(kind));
    return head;
}

std::string namesOf(const std::vector<const Declaration*>& list) {
    std::string out;
    constexpr std::size_t kMost = 12;
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (k == kMost) return out + fmt::format(" and {} more", list.size() - kMost);
        out += (k == 0 ? "" : ", ") + list[k]->name;
    }
    return out;
}

}  // namespace

// ---------------------------------------------------------------- declarations

void State::declare(const Input& input) {
    Input whole = input;
    declareText(whole, std::string(input.typed.substr(0, input.end)), false);
}

/// Declares what stands in `text` from the beginning of the input on: all of it or nothing.
void State::declareText(const Input& input, const std::string& text, bool isQuiet) {
    Parsed parsed = parseDeclarations(input.name, text, input.begin, callbacks);
    add(parsed.messages);
    if (!parsed.isFine) throw Failed();
    for (const Declaration& each : parsed.declarations) checkName(input, each.name, "declaration");
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
        for (auto [begin, end] : parsed.statics) {
            Input block{text, input.name, begin, end};
            variables(block);
        }
        std::vector<std::string> redefined;
        for (const Declaration* each : fresh) redefined.push_back(each->name);
        std::vector<const Declaration*> affected;
        for (const Declaration* each : fresh)
            if (before.has(*each))
                for (const Declaration* user : declarations.dependents(each->name))
                    if (std::find(fresh.begin(), fresh.end(), user) == fresh.end() &&
                        std::find(affected.begin(), affected.end(), user) == affected.end())
                        affected.push_back(user);
        checkDeclared(input, fresh, affected, isQuiet, before);
    } catch (const Failed&) {
        for (auto& [name, old] : before.declarations) {
            declarations.remove(name);
            if (old) declarations.put(std::move(*old));
        }
        if (!parsed.statics.empty()) declarations.variables = std::move(before.variables);
        throw;
    }
}

void State::checkDeclared(const Input& input, const std::vector<const Declaration*>& fresh,
                          std::vector<const Declaration*> affected, bool isQuiet,
                          const Replaced& before) {
    if (fresh.empty()) return;
    const std::set<std::string, std::less<>> gone = goneWith(fresh, before);
    for (const std::string& name : gone)
        for (const Declaration* user : declarations.dependents(name))
            if (std::find(fresh.begin(), fresh.end(), user) == fresh.end() &&
                std::find(affected.begin(), affected.end(), user) == affected.end())
                affected.push_back(user);
    MixedText nothing(input.typed);
    Task task;
    task.text = &nothing;
    task.typed = std::string(input.typed);
    task.input = "<input>";
    task.without = gone;
    task.more = fresh;
    task.more.insert(task.more.end(), affected.begin(), affected.end());
    std::unique_ptr<Work> work;
    base::onOwnStack([&] { work = workbench.compile(task); });
    const base::SourceManager& sources = work->program.context.sources;
    std::set<std::string> missing;
    std::vector<Message> about;
    std::vector<Message> broken;
    work->program.context.diags.merge();
    for (const base::Diagnostic& diag : work->program.context.diags.all()) {
        if (hidesVariable(diag, sources)) continue;
        if (isAboutMissing(diag) && !diag.args.empty()) {
            missing.insert(diag.args.front());
            continue;
        }
        const bool isOld = isBreach(diag, affected, sources);
        const bool isNew = std::any_of(fresh.begin(), fresh.end(), [&](const Declaration* d) {
            return standsIn(diag.range, *d, sources);
        });
        const bool isError = base::info(diag.id).severity == base::Severity::Error;
        if (isNew || (!isOld && isError && affected.empty()))
            about.push_back(toMessage(diag, sources, callbacks.colour));
        else if (isOld)
            broken.push_back(toMessage(diag, sources, callbacks.colour));
    }
    check(std::move(about));
    if (!isQuiet) tellDeclared(fresh, before);
    if (!affected.empty()) confirm(fmt::format("  used by {}\n", namesOf(affected)));
    for (const auto& [name, instance] : instances)
        for (const Declaration* each : fresh)
            if (before.has(*each) && instance->uses.contains(each->name))
                confirm(fmt::format("  {} goes on with the old {}\n", name, each->name));
    tellBroken(std::move(broken));
    for (const std::string& name : missing)
        if (!declarations.find(name)) confirm(fmt::format("  {} is not declared yet\n", name));
    for (const std::string& name : gone) {
        confirm(fmt::format("  {} is gone with the old type\n", name));
        declarations.variables.erase(name);
    }
}

void State::tellDeclared(const std::vector<const Declaration*>& fresh,
                         const Replaced& before) const {
    for (const Declaration* each : fresh) {
        if (!before.has(*each)) {
            confirm(fmt::format("declared {}\n", each->head));
            continue;
        }
        confirm(fmt::format("redefined {}\n", each->head));
        const Declaration& old = *before.declarations.find(each->name)->second;
        if (old.isStream() && each->isStream() && typeIn(old.head) != typeIn(each->head))
            confirm(fmt::format("  its type was {}\n", typeIn(old.head)));
    }
}

/// Variables whose types are no longer what they were.
std::set<std::string, std::less<>> State::goneWith(const std::vector<const Declaration*>& fresh,
                                                   const Replaced& before) const {
    std::set<std::string, std::less<>> gone;
    for (const Declaration* each : fresh) {
        if (!before.has(*each)) continue;
        for (const auto& [name, variable] : declarations.variables)
            if (variable.mentions.contains(each->name)) gone.insert(name);
    }
    return gone;
}

/// Tells of the users of a variable that was declared again and had that type before.
void State::tellUsersOf(const Input& input, const std::string& name, const std::string& oldType) {
    const std::vector<const Declaration*> users = declarations.dependents(name);
    std::string made;
    for (const auto& [stream, instance] : instances)
        if (instance->uses.variables.contains(name))
            made += fmt::format("  {} goes on with the old {}\n", stream, name);
    if (users.empty() && made.empty()) return;
    const std::string& type = declarations.variables.find(name)->second.type;
    confirm(fmt::format("redefined {} {}\n", type, name));
    if (!users.empty()) confirm(fmt::format("  used by {}\n", namesOf(users)));
    confirm(made);
    if (type == oldType || users.empty()) return;
    MixedText nothing(input.typed);
    Task task;
    task.text = &nothing;
    task.typed = std::string(input.typed);
    task.input = "<input>";
    task.more = users;
    std::unique_ptr<Work> work;
    base::onOwnStack([&] { work = workbench.compile(task); });
    work->program.context.diags.merge();
    std::vector<Message> broken;
    for (const base::Diagnostic& diag : work->program.context.diags.all())
        if (isBreach(diag, users, work->program.context.sources))
            broken.push_back(toMessage(diag, work->program.context.sources, callbacks.colour));
    tellBroken(std::move(broken));
}

void State::tellBroken(std::vector<Message> broken) {
    for (Message& each : broken) each.severity = base::Severity::Warning;
    if (!broken.empty()) confirm("  which no longer fit:\n");
    add(std::move(broken));
}

}  // namespace strc::repl
