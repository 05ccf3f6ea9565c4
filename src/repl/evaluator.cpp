#include "repl/detail/evaluator.h"

#include "base/own_stack.h"
#include "parser/parse.h"

namespace strc::repl {

using base::Diag;
using session::Stage;
using types::Value;

std::unique_ptr<Work> Evaluator::run(const Input& input, const MixedText& text,
                                     const RunOptions& how) {
    Task task;
    task.assigns = how.assigns;
    task.target = how.target;
    task.text = &text;
    task.typed = std::string(input.typed);
    task.input = input.name;
    task.last = Stage::Lowered;
    task.without = how.fresh;
    task.random = random;
    std::unique_ptr<Work> work;
    base::onOwnStack([&] { work = workbench.compile(task); });
    random = work->program.random;
    output.check(workbench.messages(*work, task));
    output.stopIfInterrupted();
    return work;
}

void Evaluator::keepVariables(const session::Compilation& program,
                              const std::set<std::string, std::less<>>& fresh,
                              const std::string& source) {
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

void Evaluator::statement(const Input& input) {
    MixedText text(input.typed);
    const std::string_view last = input.text();
    const bool isWhole = last.ends_with(";") || last.ends_with("}");
    text.own("static { init {\n").piece(input.begin, input.end).own(isWhole ? "\n} }" : ";\n} }");
    std::unique_ptr<Work> work = run(input, text, {.assigns = true});
    keepVariables(work->program, {});
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
std::unique_ptr<Work> Evaluator::checkedValue(const Input& input, std::vector<Message>& told) {
    MixedText text(input.typed);
    text.own("static { init { ").own(kResult).own(" = ").piece(input.begin, input.end).own("; } }");
    Task task;
    task.text = &text;
    task.typed = std::string(input.typed);
    task.input = input.name;
    std::unique_ptr<Work> work;
    base::onOwnStack([&] { work = workbench.compile(task); });
    const ast::Expr* value = assignedIn(work->program, work->own);
    // A function that returns nothing may be called, but not assigned.
    auto isExpected = [value](const base::Diagnostic& diag) {
        return (diag.id == Diag::UnknownVariable && diag.args.front() == kResult) ||
               (diag.id == Diag::VoidValue && value && diag.range == value->range);
    };
    told = workbench.messages(*work, task, isExpected);
    // Warnings come with the value, which is another compilation of the same text.
    std::erase_if(told,
                  [](const Message& each) { return each.severity == base::Severity::Warning; });
    return work;
}

bool Evaluator::isExpression(const Input& input) {
    std::vector<Message> told;
    const std::unique_ptr<Work> work = checkedValue(input, told);
    return told.empty() && assignedIn(work->program, work->own);
}

std::string Evaluator::typeOf(const Input& input) {
    std::vector<Message> told;
    const std::unique_ptr<Work> work = checkedValue(input, told);
    output.check(std::move(told));
    const ast::Expr* value = assignedIn(work->program, work->own);
    if (!value) output.fail(input, "this is no expression");
    return types::toString(work->program.program.typeOf(*value));
}

std::optional<Value> Evaluator::valueOf(const Input& input, std::string_view wanted) {
    const std::string type = wanted.empty() ? typeOf(input) : std::string(wanted);
    if (type == "void") return std::nullopt;
    MixedText text(input.typed);
    if (isText(type)) {
        // There are no variables of that type: what a program would print is what is shown.
        text.own("static { init { println(").piece(input.begin, input.end).own("); } }");
        run(input, text);
        return std::nullopt;
    }
    if (type.find('?') != std::string::npos)
        output.fail(input,
                    "the size of this array is known only when it is assigned to a variable");
    text.own("static { ").own(type).own(" ").own(kResult).own("; init { ").own(kResult).own(" = ");
    text.piece(input.begin, input.end).own("; } }");
    const bool isFed = type == "tensor";
    const char* target = wanted.empty() ? "" : isFed ? "what feeds the stream" : "a count";
    valued = run(input, text, {.target = target});
    keepVariables(valued->program, {});
    const ir::Module& module = valued->program.module;
    for (std::size_t k = 0; k < module.globals.size(); ++k)
        if (module.globals[k].name == kResult) return module.globalValues[k];
    return std::nullopt;
}

std::uint64_t Evaluator::countOf(const Input& input, std::string_view fault) {
    const std::int64_t number = valueOf(input, "int")->toInt();
    if (number < 0) output.fail(input, fault);
    return static_cast<std::uint64_t>(number);
}

void Evaluator::expression(const Input& input) {
    const std::string type = typeOf(input);
    if (type == "void") return statement(input);
    if (isText(type)) {
        valueOf(input, type);
        return;
    }
    if (std::optional<Value> value = valueOf(input, type)) output.give(*value);
}

}  // namespace strc::repl
