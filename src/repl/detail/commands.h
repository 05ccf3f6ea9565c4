#pragma once
/// The table of commands. Private to repl.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "repl/detail/state.h"

namespace strc::repl {

struct Command {
    std::string_view name;  ///< ":load"
    std::string_view arguments;  ///< "FILE"
    std::string_view about;  ///< one line
    std::string_view more;  ///< examples and what else there is to say
    void (*run)(State&, const Input& input, const Input& arguments);
};

std::span<const Command> commands();
/// Also by the beginning of its name, if no other begins so. Null: none, or several.
const Command* findCommand(std::string_view name);
/// Why `findCommand` finds nothing.
std::string whyNone(std::string_view name);
/// Runs the command that an entry is.
void runCommand(State&, const Input&);

/// The only word of the arguments; `wanted` says what is missing where there is none.
Input onlyWord(State&, const Input& input, const Input& arguments, std::string_view wanted);
/// The channels that are meant; fails if there is none.
std::vector<graph::EdgeId> channelsCalled(State&, const Running&, const Input& name);

/// Topics of `:help` other than commands.
std::vector<std::string_view> helpTopics();

// `input` is the whole entry; `arguments` stand behind the name in it.
void backCommand(State&, const Input& input, const Input& arguments);
void breakCommand(State&, const Input& input, const Input& arguments);
void compileCommand(State&, const Input& input, const Input& arguments);
void continueCommand(State&, const Input& input, const Input& arguments);
void dropCommand(State&, const Input& input, const Input& arguments);
void engineCommand(State&, const Input& input, const Input& arguments);
void graphCommand(State&, const Input& input, const Input& arguments);
void helpCommand(State&, const Input& input, const Input& arguments);
void listCommand(State&, const Input& input, const Input& arguments);
void loadCommand(State&, const Input& input, const Input& arguments);
void peekCommand(State&, const Input& input, const Input& arguments);
void plotCommand(State&, const Input& input, const Input& arguments);
void quitCommand(State&, const Input& input, const Input& arguments);
void ratesCommand(State&, const Input& input, const Input& arguments);
void reloadCommand(State&, const Input& input, const Input& arguments);
void saveCommand(State&, const Input& input, const Input& arguments);
void scheduleCommand(State&, const Input& input, const Input& arguments);
void stepCommand(State&, const Input& input, const Input& arguments);
void timeCommand(State&, const Input& input, const Input& arguments);
void typeCommand(State&, const Input& input, const Input& arguments);
void watchCommand(State&, const Input& input, const Input& arguments);
void whereCommand(State&, const Input& input, const Input& arguments);

}  // namespace strc::repl
