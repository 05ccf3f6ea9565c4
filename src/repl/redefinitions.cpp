#include "repl/detail/redefinitions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/own_stack.h"

namespace strc::repl {

using base::Diag;

namespace {

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

bool contains(const std::vector<const Declaration*>& list, const Declaration* each) {
    return std::find(list.begin(), list.end(), each) != list.end();
}

}  // namespace

/// Compiles some declarations with what they mention.
std::unique_ptr<Work> Redefinitions::compiled(const Input& input, List list, const Names& without) {
    MixedText nothing(input.typed);
    Task task;
    task.text = &nothing;
    task.typed = std::string(input.typed);
    task.input = "<input>";
    task.without = without;
    task.more = std::move(list);
    std::unique_ptr<Work> work;
    base::onOwnStack([&] { work = workbench.compile(task); });
    work->program.context.diags.merge();
    return work;
}

/// Adds those that mention a name and are in neither list.
void Redefinitions::addUsers(std::string_view name, const List& fresh, List& users) const {
    for (const Declaration* user : declarations.dependents(name))
        if (!contains(fresh, user) && !contains(users, user)) users.push_back(user);
}

Redefinitions::Faults Redefinitions::faultsOf(const Input& input, const List& fresh,
                                              const List& users, const Names& gone) {
    List list = fresh;
    list.insert(list.end(), users.begin(), users.end());
    const std::unique_ptr<Work> work = compiled(input, std::move(list), gone);
    const base::SourceManager& sources = work->program.context.sources;
    Faults faults;
    for (const base::Diagnostic& diag : work->program.context.diags.all()) {
        if (hidesVariable(diag, sources)) continue;
        if (isAboutMissing(diag) && !diag.args.empty()) {
            faults.missing.insert(diag.args.front());
            continue;
        }
        const bool isOld = isBreach(diag, users, sources);
        const bool isNew = std::any_of(fresh.begin(), fresh.end(), [&](const Declaration* each) {
            return standsIn(diag.range, *each, sources);
        });
        const bool isError = base::info(diag.id).severity == base::Severity::Error;
        if (isNew || (!isOld && isError && users.empty()))
            faults.fresh.push_back(toMessage(diag, sources, output.callbacks.colour));
        else if (isOld)
            faults.users.push_back(toMessage(diag, sources, output.callbacks.colour));
    }
    return faults;
}

void Redefinitions::check(const Input& input, const List& fresh, const Replaced& before,
                          bool isQuiet) {
    if (fresh.empty()) return;
    List users;
    for (const Declaration* each : fresh)
        if (before.has(*each)) addUsers(each->name, fresh, users);
    const Names gone = goneWith(fresh, before);
    for (const std::string& name : gone) addUsers(name, fresh, users);
    Faults faults = faultsOf(input, fresh, users, gone);
    output.check(std::move(faults.fresh));
    if (!isQuiet) tellDeclared(fresh, before);
    if (!users.empty()) output.confirm(fmt::format("  used by {}\n", namesOf(users)));
    tellOldInUse(fresh, before);
    tellBroken(std::move(faults.users));
    for (const std::string& name : faults.missing)
        if (!declarations.find(name))
            output.confirm(fmt::format("  {} is not declared yet\n", name));
    for (const std::string& name : gone) {
        output.confirm(fmt::format("  {} is gone with the old type\n", name));
        declarations.variables.erase(name);
    }
}

void Redefinitions::tellDeclared(const List& fresh, const Replaced& before) const {
    for (const Declaration* each : fresh) {
        if (!before.has(*each)) {
            output.confirm(fmt::format("declared {}\n", each->head));
            continue;
        }
        output.confirm(fmt::format("redefined {}\n", each->head));
        const Declaration& old = *before.declarations.find(each->name)->second;
        if (old.isStream() && each->isStream() && typeIn(old.head) != typeIn(each->head))
            output.confirm(fmt::format("  its type was {}\n", typeIn(old.head)));
    }
}

void Redefinitions::tellOldInUse(const List& fresh, const Replaced& before) const {
    for (const auto& [name, instance] : streams.named())
        for (const Declaration* each : fresh)
            if (before.has(*each) && instance->uses.contains(each->name))
                output.confirm(fmt::format("  {} goes on with the old {}\n", name, each->name));
}

/// Variables whose types are no longer the same.
Redefinitions::Names Redefinitions::goneWith(const List& fresh, const Replaced& before) const {
    Names gone;
    for (const Declaration* each : fresh) {
        if (!before.has(*each)) continue;
        for (const auto& [name, variable] : declarations.variables)
            if (variable.mentions.contains(each->name)) gone.insert(name);
    }
    return gone;
}

void Redefinitions::tellUsersOf(const Input& input, const std::string& name,
                                const std::string& oldType) {
    const List users = declarations.dependents(name);
    std::string made;
    for (const auto& [stream, instance] : streams.named())
        if (instance->uses.variables.contains(name))
            made += fmt::format("  {} goes on with the old {}\n", stream, name);
    if (users.empty() && made.empty()) return;
    const std::string& type = declarations.variables.find(name)->second.type;
    output.confirm(fmt::format("redefined {} {}\n", type, name));
    if (!users.empty()) output.confirm(fmt::format("  used by {}\n", namesOf(users)));
    output.confirm(made);
    if (type == oldType || users.empty()) return;
    const std::unique_ptr<Work> work = compiled(input, users);
    std::vector<Message> broken;
    for (const base::Diagnostic& diag : work->program.context.diags.all())
        if (isBreach(diag, users, work->program.context.sources))
            broken.push_back(
                toMessage(diag, work->program.context.sources, output.callbacks.colour));
    tellBroken(std::move(broken));
}

void Redefinitions::tellBroken(std::vector<Message> broken) {
    for (Message& each : broken) each.severity = base::Severity::Warning;
    if (!broken.empty()) output.confirm("  which no longer fit:\n");
    output.add(std::move(broken));
}

}  // namespace strc::repl
