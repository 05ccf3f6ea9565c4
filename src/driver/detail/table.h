#pragma once
/// The commands and options as data, read off what parses the command line; man pages and shell completion are made of it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strc::driver {

struct OptionRow {
    std::vector<std::string> names;  ///< with dashes, short ones first
    std::string argument;  ///< the word for its value; empty: there is none
    std::vector<std::string> words;  ///< all values, if they are few
    std::string help;
    std::string group;
};

struct CommandRow {
    std::string name;
    std::string help;
    std::string argument;  ///< the word for what is no option; empty: there is none
    std::vector<std::string> words;  ///< all values of that, if they are few
    std::string footer;  ///< examples
    std::vector<OptionRow> options;
};

struct CommandTable {
    CommandRow program;  ///< `strc` itself
    std::vector<CommandRow> commands;
};

CommandTable commandTable();

enum class Shell : std::uint8_t { Bash, Zsh, Fish };
/// A script that the shell reads when it starts.
std::string completionScript(const CommandTable&, Shell);

/// The page of a command, or of the whole program (`command` is empty), as `man` reads it.
std::string manualPage(const CommandTable&, std::string_view command, std::string_view version);

}  // namespace strc::driver
