#pragma once
/// The table of commands. Private to repl.

#include <span>
#include <string_view>

#include "repl/state.h"

namespace strc::repl {

struct Command {
    std::string_view name;  ///< ":load"
    std::string_view arguments;  ///< "FILE"
    std::string_view about;  ///< one line
    std::string_view more;  ///< examples and what else there is to say
    void (State::*run)(const Input& input, const Input& arguments);
};

std::span<const Command> commands();
/// Also by the beginning of its name, if no other begins so. Null: none, or several.
const Command* findCommand(std::string_view name);
std::string whyNone(std::string_view name);

/// Topics of `:help` other than commands.
std::vector<std::string_view> helpTopics();

/// The bytes [begin, end) of the same input.
Input partOf(const Input&, std::size_t begin, std::size_t end);
/// Words with their places; quotes hold one together.
std::vector<Input> wordsOf(const Input&);
/// Without quotes, as the name of a file.
std::string plainText(const Input&);
/// The only word of the arguments; `wanted` says what is missing where there is none.
Input onlyWord(State&, const Input& input, const Input& arguments, std::string_view wanted);

}  // namespace strc::repl
