#include "repl/declarations.h"

#include <algorithm>

#include "session/library.h"

namespace strc::repl {

session::SourceText Declaration::asSource() const {
    std::string padded(line - 1, '\n');
    padded.append(column - 1, ' ');
    return {source, padded + text};
}

std::string Variable::presentType() const {
    if (!value.element) return type;
    types::TypeTable types;
    const types::Type* element = types.scalar(*value.element);
    // A shape without dimensions has no spelling.
    return types::toString(value.dims.empty() ? types.tensor(element)
                                              : types.tensor(element, value.dims));
}

std::string Variable::typeWithElements() const {
    if (!value.element || type != "tensor") return type;
    types::TypeTable types;
    return types::toString(types.tensor(types.scalar(*value.element)));
}

bool standsIn(base::SourceRange range, const Declaration& declaration,
              const base::SourceManager& sources) {
    if (!range.valid()) return false;
    const session::SourceText text = declaration.asSource();
    return sources.name(range.buffer) == text.name && sources.text(range.buffer) == text.text;
}

std::set<std::string, std::less<>> namesIn(std::string_view text) {
    std::set<std::string, std::less<>> names;
    for (std::string_view name : session::scanNames(text).used) names.emplace(name);
    return names;
}

void Declarations::put(Declaration made) {
    if (made.place == 0) made.place = ++places;
    if (auto old = byName.find(made.name); old != byName.end()) {
        made.place = old->second.place;
        remove(made.name);
    }
    for (const std::string& name : made.mentions) mentionedBy[name].insert(made.name);
    byName.insert_or_assign(made.name, std::move(made));
}

void Declarations::remove(std::string_view name) {
    auto old = byName.find(name);
    if (old == byName.end()) return;
    for (const std::string& each : old->second.mentions)
        if (auto found = mentionedBy.find(each); found != mentionedBy.end())
            found->second.erase(old->second.name);
    byName.erase(old);
}

const Declaration* Declarations::find(std::string_view name) const {
    auto found = byName.find(name);
    return found == byName.end() ? nullptr : &found->second;
}

namespace {

void sortByPlace(std::vector<const Declaration*>& list) {
    std::sort(list.begin(), list.end(),
              [](const Declaration* a, const Declaration* b) { return a->place < b->place; });
}

}  // namespace

std::vector<const Declaration*> Declarations::all() const {
    std::vector<const Declaration*> list;
    for (const auto& [name, each] : byName) list.push_back(&each);
    sortByPlace(list);
    return list;
}

std::vector<const Declaration*> Declarations::dependents(std::string_view name) const {
    std::set<std::string, std::less<>> met{std::string(name)};
    std::vector<std::string> todo{std::string(name)};
    std::vector<const Declaration*> list;
    while (!todo.empty()) {
        auto users = mentionedBy.find(todo.back());
        todo.pop_back();
        if (users == mentionedBy.end()) continue;
        for (const std::string& user : users->second) {
            if (!met.insert(user).second) continue;
            list.push_back(&byName.at(user));
            todo.push_back(user);
        }
    }
    sortByPlace(list);
    return list;
}

Declarations::Needed Declarations::needed(std::span<const std::string> names) const {
    Needed result;
    std::set<std::string, std::less<>> met;
    std::vector<std::string> todo(names.begin(), names.end());
    auto follow = [&](const auto& mentions) {
        todo.insert(todo.end(), mentions.begin(), mentions.end());
    };
    while (!todo.empty()) {
        const std::string name = std::move(todo.back());
        todo.pop_back();
        if (!met.insert(name).second) continue;
        if (const Declaration* found = find(name)) {
            result.declarations.push_back(found);
            follow(found->mentions);
        }
        if (auto found = variables.find(name); found != variables.end()) {
            result.variables.push_back(name);
            follow(found->second.mentions);
        }
    }
    sortByPlace(result.declarations);
    std::sort(result.variables.begin(), result.variables.end());
    return result;
}

Declarations Declarations::copyOf(std::span<const std::string> names) const {
    const Needed found = needed(names);
    Declarations copy;
    for (const Declaration* each : found.declarations) copy.put(*each);
    for (const std::string& name : found.variables)
        copy.variables.emplace(name, variables.find(name)->second);
    return copy;
}

}  // namespace strc::repl
