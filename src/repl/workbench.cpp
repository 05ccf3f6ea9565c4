#include "repl/workbench.h"

#include <algorithm>

#include "base/render.h"

namespace strc::repl {

using session::Stage;

Message toMessage(const base::Diagnostic& diag, const base::SourceManager& sources, bool colour) {
    std::string json = base::renderJson(diag, sources);
    while (!json.empty() && json.back() == '\n') json.pop_back();
    return {diag.severity, std::string(base::info(diag.id).name),
            base::renderText(diag, sources, {colour}), std::move(json)};
}

namespace {

constexpr const char* kVariables = "<variables>";

/// A session is full of what is not used yet.
constexpr const char* kSilent[] = {"unused-stream", "unused-function", "unused-parameter",
                                   "unused-variable"};

session::SourceText variablesOf(const Declarations& known, const std::vector<std::string>& names,
                                const Task& task, std::map<std::string, session::Held>& held) {
    std::string text;
    for (const std::string& name : names) {
        if (task.without.contains(name)) continue;
        const Variable& variable = known.variables.find(name)->second;
        text += task.assigns ? variable.type : variable.presentType();
        text += " " + name + ";\n";
        held[name] = variable.value;
    }
    return {kVariables, text.empty() ? text : "static {\n" + text + "}\n"};
}

/// Rewords a diagnostic about the text that the prompt has put around the typed one, which the user does not know.
base::Diagnostic inWordsOfThePrompt(base::Diagnostic diag, const Work& work, const Task& task) {
    const bool isAboutOwn = diag.range.valid() && diag.range.buffer == work.own;
    if (diag.range.valid() && !isAboutOwn) return diag;
    const bool isBehind = isAboutOwn && task.text->isOwn(diag.range);
    for (std::string& word : diag.args) {
        if (word == "'static'") word = "what is typed at the prompt";
        if (word == "the static block") word = "this line";
        if (word.starts_with("the initialiser of 'items__'")) word = "a list of items";
        if (word == "an assignment" && !task.target.empty()) word = task.target;
        if (isBehind && (word == "';'" || word == "'}'")) word = "the end of the line";
    }
    return diag;
}

}  // namespace

bool hidesVariable(const base::Diagnostic& diag, const base::SourceManager& sources) {
    return diag.id == base::Diag::HidesOuter &&
           std::any_of(diag.notes.begin(), diag.notes.end(), [&](const base::DiagNote& note) {
               return note.range.valid() && sources.name(note.range.buffer) == kVariables;
           });
}

std::unique_ptr<Work> Workbench::compile(const Task& task) const {
    auto work = std::make_unique<Work>();
    std::set<std::string, std::less<>> names = namesIn(task.text->text());
    for (const Declaration* each : task.more)
        names.insert(each->mentions.begin(), each->mentions.end());
    std::vector<std::string> list(names.begin(), names.end());
    for (const Declaration* each : task.more) list.push_back(each->name);
    const Declarations::Needed needed = declarations.needed(list);

    session::Request request;
    request.sources.push_back(variablesOf(declarations, needed.variables, task, request.held));
    for (const Declaration* each : needed.declarations) request.sources.push_back(each->asSource());
    work->own = {static_cast<std::uint32_t>(request.sources.size())};
    request.sources.push_back({task.input, task.text->text()});
    request.top = task.top;
    request.topFindsTypes = !task.top.empty();
    request.withoutMain = task.top.empty();
    request.planIfPossible = true;
    request.random = task.random;
    request.inputs = task.inputs;
    if (task.last == Stage::Planned) request.optimise.emplace();
    request.print = print;
    request.interrupt = interrupt;
    base::Context& context = work->program.context;
    for (const char* name : kSilent) context.diags.setWarning(name, false);
    if (!weights.empty()) work->program.weights = weights::fromOptionLater(weights, context.limits);
    work->done = session::compile(work->program, request, library, task.last);
    work->typed = context.sources.add(task.input, task.typed);
    return work;
}

std::vector<Message> Workbench::messages(
    Work& work, const Task& task, const std::function<bool(const base::Diagnostic&)>& skip) const {
    base::Context& context = work.program.context;
    context.diags.merge();
    std::vector<Message> list;
    for (const base::Diagnostic& each : context.diags.all()) {
        if ((skip && skip(each)) || hidesVariable(each, context.sources)) continue;
        const base::Diagnostic shown =
            task.text->translate(inWordsOfThePrompt(each, work, task), work.own, work.typed);
        list.push_back(toMessage(shown, context.sources, colour));
    }
    context.diags.clear();
    return list;
}

}  // namespace strc::repl
