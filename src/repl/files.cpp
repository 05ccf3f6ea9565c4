// :load, :reload, :save, :compile.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "repl/commands.h"
#include "repl/values.h"
#include "session/library.h"
#include "session/sources.h"

namespace strc::repl {

namespace {

std::vector<std::string> namesOf(const std::map<std::string, Variable, std::less<>>& variables) {
    std::vector<std::string> names;
    for (const auto& [name, variable] : variables) names.push_back(name);
    return names;
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
    confirm(fmt::format("{}: {} declaration{}\n", file, count, count == 1 ? "" : "s"));
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
        if (!isOfFile(*each)) continue;
        const Declaration* old = before.find(each->name);
        replaced.declarations.emplace(each->name, old ? std::optional(*old) : std::nullopt);
        fresh.push_back(each);
    }
    std::vector<const Declaration*> affected;
    for (const Declaration* each : fresh)
        if (replaced.has(*each))
            for (const Declaration* user : declarations.dependents(each->name))
                if (!isOfFile(*user) &&
                    std::find(affected.begin(), affected.end(), user) == affected.end())
                    affected.push_back(user);
    checkDeclared(input, fresh, affected, true, replaced);
}

bool State::isOfFile(const Declaration& declaration) const {
    return std::find(files.begin(), files.end(), declaration.source) != files.end();
}

/// All files at once: each is checked against the others as they are now. Nothing changes if one is refused.
void State::reloadCommand(const Input& input, const Input&) {
    if (files.empty()) fail(input, "no file has been loaded yet");
    const Declarations before = declarations;
    for (const Declaration* each : before.all())
        if (isOfFile(*each)) declarations.remove(each->name);
    try {
        loadInAnyOrder(input);
        // Variables keep their values as long as their types fit.
        for (auto& [name, value] : declarations.variables)
            if (auto old = before.variables.find(name);
                old != before.variables.end() && old->second.type == value.type)
                value.bytes = old->second.bytes;
        checkReplaced(input, before);
    } catch (const Failed&) {
        declarations = before;
        throw;
    }
    for (const std::string& file : files) tellLoaded(file);
    for (const Declaration* each : before.all())
        if (!declarations.contains(each->name)) show(fmt::format("  {} is gone\n", each->name));
}

/// Static blocks that give the variables their present values. What no initialiser can say is left out with
/// a remark.
std::string State::sourceOfVariables(const Input& input, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    MixedText text(input.typed);
    text.own("static { init { int ").own("seen__ = 0;\n");
    for (const std::string& name : names)
        text.own(
            fmt::format("{{ {} copy__ = {}; }}\n", declarations.variables.at(name).type, name));
    text.own("} }");
    const std::unique_ptr<Work> work = runStatics(input, text, {});
    std::string source;
    const ir::Module& module = work->program.module;
    for (const std::string& name : names)
        for (std::size_t k = 0; k < module.globals.size(); ++k) {
            if (module.globals[k].name != name) continue;
            const std::string value = toSource(module.globalValues[k]);
            const std::string& type = declarations.variables.at(name).type;
            if (value.empty()) show(fmt::format("  {} goes without its value\n", name));
            source += value.empty()
                          ? fmt::format("    {} {};  // its value cannot be written\n", type, name)
                          : fmt::format("    {} {} = {};\n", type, name, value);
        }
    return "static {\n" + source + "}\n\n";
}

void State::saveCommand(const Input& input, const Input& arguments) {
    if (arguments.text().empty()) fail(input, "':save' wants the name of a file");
    std::string text = sourceOfVariables(input, namesOf(declarations.variables));
    for (const Declaration* each : declarations.all()) text += each->text + "\n\n";
    const std::string file = plainText(arguments);
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) fail(arguments, fmt::format("cannot write '{}': {}", file, std::strerror(errno)));
    show(fmt::format("{}: {} declarations\n", file, declarations.all().size()));
}

namespace {

/// The session as it was.
class Formerly {
public:
    Formerly(Declarations& of, const Declarations& old) : declarations(of), now(of) {
        declarations = old;
    }
    ~Formerly() { declarations = std::move(now); }
    Formerly(const Formerly&) = delete;
    Formerly& operator=(const Formerly&) = delete;

private:
    Declarations& declarations;
    Declarations now;
};

}  // namespace

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
    if (arguments.text().empty()) fail(input, "':compile' wants the name of the executable");
    if (!world.build) fail(input, "executables cannot be made here");
    const std::string file = plainText(arguments);
    const std::string why = world.build(programOf(present(input), input), "it", file);
    if (!why.empty()) {
        show(why);
        fail(input, "the executable could not be made");
    }
    show(fmt::format("{} is an executable of {}\n", file, present(input).source));
}

}  // namespace strc::repl
