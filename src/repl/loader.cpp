#include "repl/detail/loader.h"

#include <algorithm>

#include <fmt/format.h>

#include "session/sources.h"

namespace strc::repl {

std::string countText(std::uint64_t declarations, std::uint64_t variables) {
    auto counted = [](std::uint64_t count, std::string_view what) {
        return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    if (variables == 0) return counted(declarations, "declaration");
    if (declarations == 0) return counted(variables, "variable");
    return counted(declarations, "declaration") + ", " + counted(variables, "variable");
}

void Loader::load(const std::string& file, const Input& input) {
    base::Result<std::string> text = session::readFile(file);
    if (!text) output.fail(input, text.error());
    declarer.declare({*text, file, 0, text->size()}, *text, true);
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    output.answer().hasDeclared = true;
    tellLoaded(file);
}

void Loader::tellLoaded(const std::string& file) const {
    const auto all = declarations.all();
    const auto count = std::count_if(all.begin(), all.end(),
                                     [&](const Declaration* each) { return each->source == file; });
    const auto variables =
        std::count_if(declarations.variables.begin(), declarations.variables.end(),
                      [&](const auto& each) { return each.second.source == file; });
    output.confirm(fmt::format("{}: {}\n", file, countText(count, variables)));
}

/// A file that is refused may need one that comes later.
void Loader::loadInAnyOrder(const Input& input) {
    const Meanwhile quiet(output.isQuiet);
    const std::size_t messages = output.answer().messages.size();
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
        output.keepMessages(messages);
        left = std::move(refused);
    }
}

/// Checks what took the place of `before`, and who uses that.
void Loader::checkReplaced(const Input& input, const Declarations& before) {
    Replaced replaced;
    std::vector<const Declaration*> fresh;
    for (const Declaration* each : declarations.all()) {
        if (!isLoaded(each->source)) continue;
        const Declaration* old = before.find(each->name);
        replaced.declarations.emplace(each->name, old ? std::optional(*old) : std::nullopt);
        fresh.push_back(each);
    }
    redefinitions.check(input, fresh, replaced, true);
}

bool Loader::isLoaded(std::string_view source) const {
    return std::find(files.begin(), files.end(), source) != files.end();
}

void Loader::reload(const Input& input) {
    if (files.empty()) output.fail(input, "no file has been loaded yet");
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
    tellGone(before);
}

void Loader::tellGone(const Declarations& before) const {
    for (const Declaration* each : before.all())
        if (!declarations.contains(each->name))
            output.confirm(fmt::format("  {} is gone\n", each->name));
    for (const auto& [name, variable] : before.variables)
        if (!declarations.variables.contains(name))
            output.confirm(fmt::format("  {} is gone\n", name));
}

}  // namespace strc::repl
