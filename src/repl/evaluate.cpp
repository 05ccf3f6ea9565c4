// Declarations, variables, statements, expressions.

#include <algorithm>

#include <fmt/format.h>

#include "base/own_stack.h"
#include "parser/parse.h"
#include "repl/state.h"
#include "repl/values.h"

namespace strc::repl {

using base::Diag;
using session::Stage;
using types::Value;

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
                         bool colour) {
    Parsed parsed;
    base::onOwnStack([&] {
        base::Context context;
        std::string masked = text;
        std::replace_if(
            masked.begin(), masked.begin() + static_cast<std::ptrdiff_t>(begin),
            [](char c) { return c != '\n'; }, ' ');
        const base::BufferId buffer = context.sources.add(source, masked);
        const ast::Unit& unit = parser::parse(context, buffer);
        context.diags.merge();
        for (const base::Diagnostic& each : context.diags.all())
            parsed.messages.push_back(toMessage(each, context.sources, colour));
        parsed.isFine = !context.diags.hasErrors();
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
    Parsed parsed = parseDeclarations(input.name, text, input.begin, world.colour);
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
                          const std::vector<const Declaration*>& affected, bool isQuiet,
                          const Replaced& before) {
    if (fresh.empty()) return;
    MixedText nothing(input.typed);
    Task task;
    task.text = &nothing;
    task.typed = std::string(input.typed);
    task.input = "<input>";
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
        if (isAboutMissing(diag) && !diag.args.empty()) {
            missing.insert(diag.args.front());
            continue;
        }
        const bool isOld = std::any_of(affected.begin(), affected.end(), [&](const Declaration* d) {
            return standsIn(diag.range, *d, sources);
        });
        const bool isNew = std::any_of(fresh.begin(), fresh.end(), [&](const Declaration* d) {
            return standsIn(diag.range, *d, sources);
        });
        const bool isError = base::info(diag.id).severity == base::Severity::Error;
        if (isNew || (!isOld && isError && affected.empty()))
            about.push_back(toMessage(diag, sources, world.colour));
        else if (isOld && isError)
            broken.push_back(toMessage(diag, sources, world.colour));
    }
    check(std::move(about));
    if (!isQuiet) {
        for (const Declaration* each : fresh)
            if (before.has(*each))
                show(fmt::format("redefined {}\n", each->head));
            else
                confirm(fmt::format("declared {}\n", each->head));
    }
    if (!affected.empty()) show(fmt::format("  used by {}\n", namesOf(affected)));
    for (const auto& [name, instance] : instances)
        for (const Declaration* each : fresh)
            if (before.has(*each) && instance->uses.contains(each->name))
                show(fmt::format("  {} goes on with the old {}\n", name, each->name));
    for (Message& each : broken) each.severity = base::Severity::Warning;
    if (!broken.empty()) show("  which no longer fit:\n");
    add(std::move(broken));
    for (const std::string& name : missing)
        if (!declarations.find(name)) show(fmt::format("  {} is not declared yet\n", name));
    for (auto each = declarations.variables.begin(); each != declarations.variables.end();) {
        const bool isGone = std::any_of(fresh.begin(), fresh.end(), [&](const Declaration* d) {
            return before.has(*d) && each->second.mentions.contains(d->name);
        });
        if (isGone) show(fmt::format("  {} is gone with the old type\n", each->first));
        each = isGone ? declarations.variables.erase(each) : std::next(each);
    }
}

// ---------------------------------------------------------------- variables, statements

namespace {

/// Session variables that a compilation has, with the values they have at its end.
void keepGlobals(session::Compilation& program, Declarations& declarations,
                 const std::set<std::string, std::less<>>& fresh) {
    for (std::size_t k = 0; k < program.module.globals.size(); ++k) {
        const std::string& name = program.module.globals[k].name;
        const Value& value = program.module.globalValues[k];
        const bool isFresh = fresh.contains(name);
        auto known = declarations.variables.find(name);
        if (!value.type || (!isFresh && known == declarations.variables.end())) continue;
        if (isFresh) {
            const std::string type = types::toString(value.type);
            declarations.variables.insert_or_assign(name,
                                                    Variable{type, value.bytes, namesIn(type)});
        } else if (known->second.bytes.size() == value.bytes.size()) {
            known->second.bytes = value.bytes;
        }
    }
}

/// The variables that a declaration `T a = 1, b;` or a static block declares.
std::set<std::string, std::less<>> declaredIn(std::string_view text) {
    std::set<std::string, std::less<>> names;
    base::onOwnStack([&] {
        base::Context context;
        const ast::Unit& unit = parser::parse(context, context.sources.add("", std::string(text)));
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

/// Runs a text with static blocks in it.
std::unique_ptr<Work> State::runStatics(const Input& input, const MixedText& text,
                                        const std::set<std::string, std::less<>>& fresh) {
    Task task;
    task.text = &text;
    task.typed = std::string(input.typed);
    task.input = input.name;
    task.last = Stage::Lowered;
    task.without = fresh;
    std::unique_ptr<Work> work;
    base::onOwnStack([&] { work = workbench.compile(task); });
    check(workbench.messages(*work, task));
    if (world.interrupt && *world.interrupt) throw Failed();
    return work;
}

void State::variables(const Input& input) {
    MixedText text(input.typed);
    const bool isBlock = input.text().starts_with("static") || input.text().starts_with("global");
    if (!isBlock) text.own("static {\n");
    text.piece(input.begin, input.end);
    if (!isBlock) text.own(input.text().ends_with(";") ? "\n}\n" : ";\n}\n");
    const std::set<std::string, std::less<>> fresh = declaredIn(text.text());
    for (const std::string& name : fresh) checkName(input, name, "variable");
    std::unique_ptr<Work> work = runStatics(input, text, fresh);
    keepGlobals(work->program, declarations, fresh);
}

void State::statement(const Input& input) {
    MixedText text(input.typed);
    const std::string_view last = input.text();
    const bool isWhole = last.ends_with(";") || last.ends_with("}");
    text.own("static { init {\n").piece(input.begin, input.end).own(isWhole ? "\n} }" : ";\n} }");
    std::unique_ptr<Work> work = runStatics(input, text, {});
    keepGlobals(work->program, declarations, {});
}

// ---------------------------------------------------------------- expressions

namespace {

constexpr std::string_view kResult = "result__";

/// The right side of the only assignment in the own unit.
const ast::Expr* assignedIn(const session::Compilation& program, base::BufferId buffer) {
    for (const ast::Unit* unit : program.units) {
        if (!(unit->buffer == buffer) || unit->decls.empty()) continue;
        auto* block = ast::tryAs<ast::StaticDecl>(unit->decls.front());
        auto* init = block && block->members.size() == 1
                         ? ast::tryAs<ast::InitDecl>(block->members.front())
                         : nullptr;
        if (!init || init->body->statements.empty()) return nullptr;
        auto* assign = ast::tryAs<ast::AssignStmt>(init->body->statements.front());
        return assign ? assign->value : nullptr;
    }
    return nullptr;
}

}  // namespace

/// Checks `result__ = EXPRESSION;` where nothing is called that: the type is that of the right side.
std::string State::typeOf(const Input& input) {
    MixedText text(input.typed);
    text.own("static { init { ").own(kResult).own(" = ").piece(input.begin, input.end).own("; } }");
    Task task;
    task.text = &text;
    task.typed = std::string(input.typed);
    task.input = input.name;
    std::unique_ptr<Work> work;
    base::onOwnStack([&] { work = workbench.compile(task); });
    auto isExpected = [](const base::Diagnostic& diag) {
        return diag.id == Diag::UnknownVariable && diag.args.front() == kResult;
    };
    std::vector<Message> told = workbench.messages(*work, task, isExpected);
    // Warnings come with the value, which is another compilation of the same text.
    std::erase_if(told,
                  [](const Message& each) { return each.severity == base::Severity::Warning; });
    check(std::move(told));
    const ast::Expr* value = assignedIn(work->program, work->own);
    if (!value) fail(input, "this is no expression");
    return types::toString(work->program.program.typeOf(*value));
}

std::optional<Value> State::valueOf(const Input& input, std::string_view wanted) {
    const std::string type = wanted.empty() ? typeOf(input) : std::string(wanted);
    if (type == "void") return std::nullopt;
    MixedText text(input.typed);
    if (type == "String") {
        // There are no variables of that type: what a program would print is what is shown.
        text.own("static { init { println(").piece(input.begin, input.end).own("); } }");
        runStatics(input, text, {});
        return std::nullopt;
    }
    if (type.find('?') != std::string::npos)
        fail(input, "the size of this array is known only when it is assigned to a variable");
    text.own("static { ").own(type).own(" ").own(kResult).own("; init { ").own(kResult).own(" = ");
    text.piece(input.begin, input.end).own("; } }");
    valued = runStatics(input, text, {});
    keepGlobals(valued->program, declarations, {});
    const ir::Module& module = valued->program.module;
    for (std::size_t k = 0; k < module.globals.size(); ++k)
        if (module.globals[k].name == kResult) return module.globalValues[k];
    return std::nullopt;
}

void State::expression(const Input& input) {
    const std::string type = typeOf(input);
    if (type == "void") return statement(input);
    if (type == "String") {
        valueOf(input, type);
        return;
    }
    if (std::optional<Value> value = valueOf(input, type)) give(*value);
}

}  // namespace strc::repl
