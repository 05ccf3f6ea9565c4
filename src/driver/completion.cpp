// Scripts by which shells complete calls of strc.

#include <fmt/format.h>

#include "driver/detail/table.h"

namespace strc::driver {

namespace {

bool isFile(const OptionRow& option) { return option.argument == "FILE"; }
bool isFolder(const OptionRow& option) { return option.argument == "DIR"; }
bool takesSources(const CommandRow& command) {
    return command.argument == "FILE" && command.words.empty();
}

std::string join(const std::vector<std::string>& words, std::string_view between) {
    return fmt::format("{}", fmt::join(words, between));
}

/// Within single quotes of a shell.
std::string quoted(std::string_view text, std::string_view apostrophe) {
    std::string result = "'";
    for (char each : text)
        if (each == '\'')
            result += apostrophe;
        else
            result += each;
    return result + "'";
}

std::string replaced(std::string_view text, std::string_view special) {
    std::string result;
    for (char each : text) {
        if (special.find(each) != std::string_view::npos) result += '\\';
        result += each;
    }
    return result;
}

std::string commandNames(const CommandTable& table) {
    std::vector<std::string> names;
    for (const CommandRow& command : table.commands) names.push_back(command.name);
    return join(names, " ");
}

// ---------------------------------------------------------------- bash

/// Of one option: what may follow. `=` splits words in bash, so that values always are words of their own.
std::string bashValue(const OptionRow& option) {
    std::string what = "return";
    if (!option.words.empty())
        what = fmt::format("words='{}' kind=", join(option.words, " "));
    else if (isFile(option))
        what = "kind=file";
    else if (isFolder(option))
        what = "kind=folder";
    return fmt::format("            {}) {} ;;\n", join(option.names, "|"), what);
}

std::string bashCommand(const CommandRow& command) {
    std::vector<std::string> names;
    std::string values;
    for (const OptionRow& option : command.options) {
        names.insert(names.end(), option.names.begin(), option.names.end());
        if (!option.argument.empty()) values += bashValue(option);
    }
    std::string text =
        fmt::format("        {})\n            options='{}'\n", command.name, join(names, " "));
    if (!command.words.empty())
        text += fmt::format("            words='{}'\n", join(command.words, " "));
    else if (takesSources(command))
        text += "            kind=source\n";
    if (!values.empty()) text += "            case $previous in\n" + values + "            esac\n";
    return text + "            ;;\n";
}

constexpr std::string_view kBashBegin =
    R"(# Completes calls of strc in bash. Made by `strc completion bash`.
_strc() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local options= words= kind=
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if ((COMP_CWORD == 1)); then
)";
constexpr std::string_view kBashEnd = R"(        *) kind=file ;;
    esac
    if [[ $current == -* && $options ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        return
    fi
    [[ $words ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
    local IFS=$'\n'
    [[ $kind ]] && compopt -o filenames 2>/dev/null
    case $kind in
        file) COMPREPLY=($(compgen -f -- "$current")) ;;
        folder) COMPREPLY=($(compgen -d -- "$current")) ;;
        source) COMPREPLY=($(compgen -d -- "$current") $(compgen -f -X '!*.str' -- "$current")) ;;
    esac
}
complete -F _strc strc
)";

std::string bashScript(const CommandTable& table) {
    std::vector<std::string> own;
    for (const OptionRow& option : table.program.options)
        own.insert(own.end(), option.names.begin(), option.names.end());
    std::string text(kBashBegin);
    text += fmt::format(
        "        COMPREPLY=($(compgen -W '{} {}' -- \"$current\"))\n        return\n    fi\n",
        commandNames(table), join(own, " "));
    text += "    case ${COMP_WORDS[1]} in\n";
    for (const CommandRow& command : table.commands)
        if (!command.options.empty()) text += bashCommand(command);
    return text + std::string(kBashEnd);
}

// ---------------------------------------------------------------- zsh

/// A short option may have its value at once, a long one after `=`.
std::string zshOption(const OptionRow& option) {
    std::string help = replaced(option.help, "[]\\:");
    std::string text;
    for (const std::string& name : option.names) {
        const bool isLong = name.starts_with("--");
        std::string spec = "*" + name;
        if (!option.argument.empty()) spec += isLong ? "=" : "+";
        spec += "[" + help + "]";
        if (!option.argument.empty()) {
            spec += ":" + option.argument + ":";
            if (!option.words.empty())
                spec += "(" + join(option.words, " ") + ")";
            else if (isFile(option))
                spec += "_files";
            else if (isFolder(option))
                spec += "_files -/";
        }
        text += " \\\n                " + quoted(spec, "'\\''");
    }
    return text;
}

std::string zshCommand(const CommandRow& command) {
    std::string text = fmt::format("        {})\n            _arguments -S", command.name);
    for (const OptionRow& option : command.options) text += zshOption(option);
    if (!command.words.empty())
        text += fmt::format(" \\\n                '*:{}:({})'", command.argument,
                            join(command.words, " "));
    else if (takesSources(command))
        text += " \\\n                '*:source file:_files -g \"*.str\"'";
    return text + "\n            ;;\n";
}

std::string zshScript(const CommandTable& table) {
    std::string text =
        "#compdef strc\n# Completes calls of strc in zsh. Made by `strc completion zsh`.\n_strc() "
        "{\n"
        "    local -a commands=(\n";
    for (const CommandRow& command : table.commands)
        text +=
            "        " + quoted(command.name + ":" + replaced(command.help, ":\\"), "'\\''") + "\n";
    text +=
        "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        "
        "_arguments -S";
    for (const OptionRow& option : table.program.options) text += zshOption(option);
    text +=
        "\n        return\n    fi\n    local command=$words[2]\n    shift words\n    "
        "((CURRENT--))\n"
        "    case $command in\n";
    for (const CommandRow& command : table.commands)
        if (!command.options.empty()) text += zshCommand(command);
    return text +
           "        *) _files ;;\n    esac\n}\nif [[ $funcstack[1] == _strc ]]; then _strc \"$@\"; "
           "else compdef _strc strc; fi\n";
}

// ---------------------------------------------------------------- fish

std::string fishOption(const OptionRow& option, std::string_view when) {
    std::string text = fmt::format("complete -c strc{}", when);
    for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.argument.empty()) {
        if (!option.words.empty())
            text += fmt::format(" -x -a '{}'", join(option.words, " "));
        else if (isFolder(option))
            text += " -x -a '(__fish_complete_directories)'";
        else
            text += isFile(option) ? " -r -F" : " -x";
    }
    return text + " -d " + quoted(replaced(option.help, "\\"), "\\'") + "\n";
}

std::string fishScript(const CommandTable& table) {
    std::string text =
        "# Completes calls of strc in fish. Made by `strc completion fish`.\ncomplete -c strc -f\n";
    for (const OptionRow& option : table.program.options)
        text += fishOption(option, " -n __fish_use_subcommand");
    for (const CommandRow& command : table.commands) {
        text += fmt::format("complete -c strc -n __fish_use_subcommand -a {} -d {}\n", command.name,
                            quoted(command.help, "\\'"));
        const std::string when = fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
        for (const OptionRow& option : command.options) text += fishOption(option, when);
        if (!command.words.empty())
            text += fmt::format("complete -c strc{} -a '{}'\n", when, join(command.words, " "));
        else if (takesSources(command))
            text += fmt::format("complete -c strc{} -a '(__fish_complete_suffix .str)'\n", when);
        else if (command.options.empty())
            text += fmt::format("complete -c strc{} -F\n", when);
    }
    return text;
}

}  // namespace

std::string completionScript(const CommandTable& table, Shell shell) {
    switch (shell) {
        case Shell::Bash: return bashScript(table);
        case Shell::Zsh: return zshScript(table);
        case Shell::Fish: return fishScript(table);
    }
    return "";
}

}  // namespace strc::driver
