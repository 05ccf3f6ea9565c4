// :load, :reload, :save, :compile.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "repl/commands.h"
#include "repl/value_source.h"
#include "session/library.h"
#include "session/sources.h"

namespace strc::repl {

using types::Value;

namespace {

std::vector<std::string> namesOf(const std::map<std::string, Variable, std::less<>>& variables) {
    std::vector<std::string> names;
    for (const auto& [name, variable] : variables) names.push_back(name);
    return names;
}

/// "2 declarations, 1 variable"
std::string countText(std::uint64_t declarations, std::uint64_t variables) {
    auto counted = [](std::uint64_t count, std::string_view what) {
        return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    if (variables == 0) return counted(declarations, "declaration");
    if (declarations == 0) return counted(variables, "variable");
    return counted(declarations, "declaration") + ", " + counted(variables, "variable");
}

}  // namespace

void State::load(const std::string& file, const Input& input) {
    base::Result<std::string> text = session::readFile(file);
    if (!text) fail(input, text.error());
    declareText({*text, file, 0, text->size()}, *text, true);
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    answer->hasDeclared = true;
    tellLoaded(file);
}

void State::tellLoaded(const std::string& file) const {
    const auto all = declarations.all();
    const auto count = std::count_if(all.begin(), all.end(),
                                     [&](const Declaration* each) { return each->source == file; });
    const auto variables =
        std::count_if(declarations.variables.begin(), declarations.variables.end(),
                      [&](const auto& each) { return each.second.source == file; });
    confirm(fmt::format("{}: {}\n", file, countText(count, variables)));
}

void State::loadCommand(const Input& input, const Input& arguments) {
    const std::vector<Input> words = wordsOf(arguments);
    if (words.empty()) fail(input, "':load' wants the name of a file");
    for (const Input& word : words) load(plainText(word), word);
}

/// A file that is refused may need one that comes later.
void State::loadInAnyOrder(const Input& input) {
    const Meanwhile quiet(isQuiet);
    const auto messages = static_cast<std::ptrdiff_t>(answer->messages.size());
    for (std::vector<std::string> left = files; !left.empty();) {
        std::vector<std::string> refused;
        for (const std::string& file : left) {
            try {
                load(file, input);
            } catch (const Failed&) {
                refused.push_back(file);
            }
        }
        if (refused.size() == left.size()) throw Failed();
        answer->messages.erase(answer->messages.begin() + messages, answer->messages.end());
        left = std::move(refused);
    }
}

/// Checks what took the place of `before`, and who uses that.
void State::checkReplaced(const Input& input, const Declarations& before) {
    Replaced replaced;
    std::vector<const Declaration*> fresh;
    for (const Declaration* each : declarations.all()) {
        if (!isLoaded(each->source)) continue;
        const Declaration* old = before.find(each->name);
        replaced.declarations.emplace(each->name, old ? std::optional(*old) : std::nullopt);
        fresh.push_back(each);
    }
    std::vector<const Declaration*> affected;
    for (const Declaration* each : fresh)
        if (replaced.has(*each))
            for (const Declaration* user : declarations.dependents(each->name))
                if (!isLoaded(user->source) &&
                    std::find(affected.begin(), affected.end(), user) == affected.end())
                    affected.push_back(user);
    checkDeclared(input, fresh, affected, true, replaced);
}

bool State::isLoaded(std::string_view source) const {
    return std::find(files.begin(), files.end(), source) != files.end();
}

/// All files at once: each is checked against the others as they are now. Nothing changes if one is refused.
void State::reloadCommand(const Input& input, const Input&) {
    if (files.empty()) fail(input, "no file has been loaded yet");
    const Declarations before = declarations;
    for (const Declaration* each : before.all())
        if (isLoaded(each->source)) declarations.remove(each->name);
    std::erase_if(declarations.variables,
                  [this](const auto& each) { return isLoaded(each.second.source); });
    try {
        loadInAnyOrder(input);
        // Variables keep their values as long as their types fit.
        for (auto& [name, value] : declarations.variables)
            if (auto old = before.variables.find(name);
                old != before.variables.end() && old->second.type == value.type)
                value.value = old->second.value;
        checkReplaced(input, before);
    } catch (const Failed&) {
        declarations = before;
        throw;
    }
    for (const std::string& file : files) tellLoaded(file);
    for (const Declaration* each : before.all())
        if (!declarations.contains(each->name)) confirm(fmt::format("  {} is gone\n", each->name));
    for (const auto& [name, variable] : before.variables)
        if (!declarations.variables.contains(name)) confirm(fmt::format("  {} is gone\n", name));
}

/// A static block that gives the variables their present values.
std::string State::sourceOfVariables(const Input& input, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    MixedText text(input.typed);
    std::string declared;
    std::string assigned;
    text.own("static { init { int ").own("seen__ = 0;\n");
    for (const std::string& name : names) {
        const Variable& variable = declarations.variables.at(name);
        if (variable.isEmpty())
            declared += fmt::format("    {} {};\n", variable.type, name);
        else
            text.own(fmt::format("{{ {} copy__ = {}; }}\n", variable.type, name));
    }
    text.own("} }");
    const std::unique_ptr<Work> work = runStatics(input, text, {});
    const ir::Module& module = work->program.module;
    for (const std::string& name : names)
        for (std::size_t k = 0; k < module.globals.size(); ++k) {
            if (module.globals[k].name != name) continue;
            const Value& value = module.globalValues[k];
            const std::string source = toSource(value);
            const std::string type = declarations.variables.at(name).typeWithElements();
            declared += source.empty() ? fmt::format("    {} {};\n", type, name)
                                       : fmt::format("    {} {} = {};\n", type, name, source);
            if (source.empty()) assigned += assignments(name, value, "        ");
        }
    if (!assigned.empty()) declared += "    init {\n" + assigned + "    }\n";
    return "static {\n" + declared + "}\n\n";
}

void State::saveCommand(const Input& input, const Input& arguments) {
    const Input name = onlyWord(*this, input, arguments, "':save' wants the name of a file");
    std::string text = sourceOfVariables(input, namesOf(declarations.variables));
    for (const Declaration* each : declarations.all()) text += each->text + "\n\n";
    const std::string file = plainText(name);
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) fail(name, fmt::format("cannot write '{}': {}", file, std::strerror(errno)));
    confirm(fmt::format("{}: {}\n", file,
                        countText(declarations.all().size(), declarations.variables.size())));
}

/// A program whose main stream is the running one, of what that was made of.
std::string State::programOf(const Running& stream, const Input& input) {
    const Formerly then(declarations, stream.uses);
    std::string text = sourceOfVariables(input, namesOf(declarations.variables));
    for (const Declaration* each : declarations.all()) text += each->text + "\n\n";
    std::string_view body = stream.mixed.text();
    body.remove_prefix(body.find(' '));
    return text + stream.signature() + std::string(body);
}

void State::compileCommand(const Input& input, const Input& arguments) {
    const Input name =
        onlyWord(*this, input, arguments, "':compile' wants the name of the executable");
    if (!callbacks.build) fail(input, "executables cannot be made here");
    const std::string file = plainText(name);
    const std::string why =
        callbacks.build(programOf(present(input), input), present(input).task.top, file);
    if (!why.empty()) {
        remark(why);
        fail(input, "the executable could not be made");
    }
    confirm(fmt::format("{} is an executable of {}\n", file, present(input).source));
}

}  // namespace strc::repl
