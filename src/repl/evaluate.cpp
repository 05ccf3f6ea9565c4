// Variables, statements, expressions.

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

/// Session variables that a compilation has, with the values they have at its end.
void keepGlobals(session::Compilation& program, Declarations& declarations,
                 const std::set<std::string, std::less<>>& fresh, const std::string& source = {}) {
    for (std::size_t k = 0; k < program.module.globals.size(); ++k) {
        const std::string& name = program.module.globals[k].name;
        const Value& value = program.module.globalValues[k];
        const bool isFresh = fresh.contains(name);
        auto known = declarations.variables.find(name);
        const types::Type* declared = program.program.globals[k]->type;
        const bool isTensor = declared->is(types::TypeKind::Tensor);
        const bool isKnown = isFresh || known != declarations.variables.end();
        if (!isKnown || (!value.type && !isTensor)) continue;
        if (isFresh) {
            const std::string type = types::toString(isTensor ? declared : value.type);
            declarations.variables.insert_or_assign(
                name, Variable{type, session::heldOf(value), namesIn(type), source});
        } else if (isTensor || known->second.value.bytes.size() == value.bytes.size()) {
            known->second.value = session::heldOf(value);
        }
    }
}

/// The variables that a declaration `T a = 1, b;` or a static block declares.
std::set<std::string, std::less<>> declaredIn(std::string_view text, const Callbacks& callbacks) {
    std::set<std::string, std::less<>> names;
    base::onOwnStack([&] {
        base::Context context;
        const base::BufferId buffer = context.sources.add("", std::string(text));
        const ast::Unit& unit = parser::parse(context, buffer, callbacks.interrupt);
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
                                        const std::set<std::string, std::less<>>& fresh,
                                        const std::string& target, bool assigns) {
    Task task;
    task.assigns = assigns;
    task.target = target;
    task.text = &text;
    task.typed = std::string(input.typed);
    task.input = input.name;
    task.last = Stage::Lowered;
    task.without = fresh;
    task.random = random;
    std::unique_ptr<Work> work;
    base::onOwnStack([&] { work = workbench.compile(task); });
    random = work->program.random;
    check(workbench.messages(*work, task));
    if (isInterrupted(callbacks)) throw Failed();
    return work;
}

void State::variables(const Input& input) {
    MixedText text(input.typed);
    const bool isBlock = input.text().starts_with("static") || input.text().starts_with("global");
    if (!isBlock) text.own("static {\n");
    text.piece(input.begin, input.end);
    if (!isBlock) text.own(input.text().ends_with(";") ? "\n}\n" : ";\n}\n");
    const std::set<std::string, std::less<>> fresh = declaredIn(text.text(), callbacks);
    if (isInterrupted(callbacks)) throw Failed();
    for (const std::string& name : fresh) checkName(input, name, "variable");
    std::unique_ptr<Work> work = runStatics(input, text, fresh);
    std::map<std::string, std::string> before;  // types
    for (const std::string& name : fresh)
        if (auto old = declarations.variables.find(name); old != declarations.variables.end())
            before.emplace(name, old->second.type);
    keepGlobals(work->program, declarations, fresh, input.name);
    for (const auto& [name, type] : before) tellUsersOf(input, name, type);
}

void State::statement(const Input& input) {
    MixedText text(input.typed);
    const std::string_view last = input.text();
    const bool isWhole = last.ends_with(";") || last.ends_with("}");
    text.own("static { init {\n").piece(input.begin, input.end).own(isWhole ? "\n} }" : ";\n} }");
    std::unique_ptr<Work> work = runStatics(input, text, {}, {}, true);
    keepGlobals(work->program, declarations, {});
}

// ---------------------------------------------------------------- expressions

namespace {

constexpr std::string_view kResult = "result__";

bool isText(std::string_view type) { return type == "String" || type == "char"; }

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
std::unique_ptr<Work> State::checkedValue(const Input& input, std::vector<Message>& told) {
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
    told = workbench.messages(*work, task, isExpected);
    // Warnings come with the value, which is another compilation of the same text.
    std::erase_if(told,
                  [](const Message& each) { return each.severity == base::Severity::Warning; });
    return work;
}

bool State::isExpression(const Input& input) {
    std::vector<Message> told;
    const std::unique_ptr<Work> work = checkedValue(input, told);
    return told.empty() && assignedIn(work->program, work->own);
}

std::string State::typeOf(const Input& input) {
    std::vector<Message> told;
    const std::unique_ptr<Work> work = checkedValue(input, told);
    check(std::move(told));
    const ast::Expr* value = assignedIn(work->program, work->own);
    if (!value) fail(input, "this is no expression");
    return types::toString(work->program.program.typeOf(*value));
}

std::optional<Value> State::valueOf(const Input& input, std::string_view wanted) {
    const std::string type = wanted.empty() ? typeOf(input) : std::string(wanted);
    if (type == "void") return std::nullopt;
    MixedText text(input.typed);
    if (isText(type)) {
        // There are no variables of that type: what a program would print is what is shown.
        text.own("static { init { println(").piece(input.begin, input.end).own("); } }");
        runStatics(input, text, {});
        return std::nullopt;
    }
    if (type.find('?') != std::string::npos)
        fail(input, "the size of this array is known only when it is assigned to a variable");
    text.own("static { ").own(type).own(" ").own(kResult).own("; init { ").own(kResult).own(" = ");
    text.piece(input.begin, input.end).own("; } }");
    const bool isFed = type == "tensor";
    valued = runStatics(input, text, {},
                        wanted.empty() ? ""
                        : isFed        ? "what feeds the stream"
                                       : "a count");
    keepGlobals(valued->program, declarations, {});
    const ir::Module& module = valued->program.module;
    for (std::size_t k = 0; k < module.globals.size(); ++k)
        if (module.globals[k].name == kResult) return module.globalValues[k];
    return std::nullopt;
}

void State::expression(const Input& input) {
    const std::string type = typeOf(input);
    if (type == "void") return statement(input);
    if (isText(type)) {
        valueOf(input, type);
        return;
    }
    if (std::optional<Value> value = valueOf(input, type)) give(*value);
}

}  // namespace strc::repl
