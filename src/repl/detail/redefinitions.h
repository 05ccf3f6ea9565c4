#pragma once
/// Checks new declarations together with those that use what they replace, and tells of these. Private to repl.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "repl/declarations.h"
#include "repl/detail/output.h"
#include "repl/detail/streams.h"
#include "repl/workbench.h"

namespace strc::repl {

/// Declarations that were replaced; they come back if the new ones are refused.
struct Replaced {
    std::map<std::string, std::optional<Declaration>, std::less<>> declarations;
    std::map<std::string, Variable, std::less<>> variables;

    /// Something else had the name of this one.
    bool has(const Declaration& fresh) const {
        auto found = declarations.find(fresh.name);
        return found != declarations.end() && found->second && found->second->text != fresh.text;
    }
};

class Redefinitions {
public:
    Redefinitions(Output& to, Declarations& known, const Workbench& bench, const Streams& held)
        : output(to), declarations(known), workbench(bench), streams(held) {}

    using List = std::vector<const Declaration*>;
    /// Checks `fresh` ones, which stand in the session already, and those that use what they replace and are not among
    /// them. Ends the entry if there is an error in the fresh ones. `isQuiet`: these are not confirmed.
    void check(const Input&, const List& fresh, const Replaced& before, bool isQuiet);
    /// Tells of the users of a variable that was declared again and had that type before.
    void tellUsersOf(const Input&, const std::string& variable, const std::string& oldType);

private:
    using Names = std::set<std::string, std::less<>>;
    /// Diagnostics about fresh declarations and about those that used what they replace.
    struct Faults {
        std::vector<Message> fresh;
        std::vector<Message> users;
        std::set<std::string> missing;  ///< names that are not declared yet
    };
    Faults faultsOf(const Input&, const List& fresh, const List& users, const Names& gone);
    std::unique_ptr<Work> compiled(const Input&, List, const Names& without = {});
    void addUsers(std::string_view name, const List& fresh, List& users) const;
    void tellDeclared(const List& fresh, const Replaced& before) const;
    void tellOldInUse(const List& fresh, const Replaced& before) const;
    void tellBroken(std::vector<Message>);
    Names goneWith(const List& fresh, const Replaced& before) const;

    Output& output;
    Declarations& declarations;
    const Workbench& workbench;
    const Streams& streams;
};

}  // namespace strc::repl
