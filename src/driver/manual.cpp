// Man pages: roff with the macros of man(7).
#include <algorithm>

#include <fmt/format.h>

#include "driver/detail/table.h"

namespace strc::driver {

namespace {

/// Text as it is to be seen: a hyphen is what can be copied into a shell, and no line begins a request.
std::string plain(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins = i == 0 || text[i - 1] == '\n';
        if (begins && (text[i] == '.' || text[i] == '\'')) result += "\\&";
        if (text[i] == '\\')
            result += "\\e";
        else if (text[i] == '-')
            result += "\\-";
        else
            result += text[i];
    }
    return result;
}

std::string section(std::string_view title) { return fmt::format(".SH {}\n", plain(title)); }

std::string title(std::string_view name, std::string_view version) {
    std::string upper(name);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char each) { return static_cast<char>(std::toupper(each)); });
    return fmt::format(".TH {} 1 \"\" \"strc {}\" \"User Commands\"\n.nh\n.ad l\n", plain(upper),
                       plain(version));
}

std::string heading(std::string_view name, std::string_view help) {
    return section("NAME") + fmt::format("{} \\- {}\n", plain(name), plain(help));
}

std::string optionText(const OptionRow& option) {
    std::string text = ".TP\n";
    for (std::size_t i = 0; i < option.names.size(); ++i)
        text += fmt::format("{}\\fB{}\\fR", i > 0 ? ", " : "", plain(option.names[i]));
    if (!option.argument.empty()) text += fmt::format(" \\fI{}\\fR", plain(option.argument));
    return text + "\n" + plain(option.help) + "\n";
}

/// The groups in the order in which the help shows them.
std::string optionTexts(const CommandRow& command) {
    std::vector<std::string> groups;
    for (const OptionRow& option : command.options)
        if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
            groups.push_back(option.group);
    if (command.options.empty())
        return section("DESCRIPTION") +
               plain(fmt::format("`strc {} --help` lists the options.\n", command.name));
    std::string text = section("OPTIONS");
    for (const std::string& group : groups) {
        if (groups.size() > 1) text += fmt::format(".SS {}\n", plain(group));
        for (const OptionRow& option : command.options)
            if (option.group == group) text += optionText(option);
    }
    return text;
}

/// A footer says in its first line what it is: the lines stay as they are.
std::string asWritten(std::string_view text) { return ".nf\n" + plain(text) + "\n.fi\n"; }

std::string examples(std::string_view footer) {
    constexpr std::string_view kTitle = "Examples:\n";
    if (!footer.starts_with(kTitle)) return "";
    return section("EXAMPLES") + asWritten(footer.substr(kTitle.size()));
}

std::string programPage(const CommandTable& table, std::string_view version) {
    std::string text =
        title("strc", version) + heading("strc", "compile and run StreamIt programs") +
        section("SYNOPSIS") + ".B strc\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n" +
        section("DESCRIPTION") + plain(table.program.help) + "\n" + section("COMMANDS");
    for (const CommandRow& command : table.commands)
        text += fmt::format(".TP\n\\fBstrc {}\\fR\n{}\n", plain(command.name), plain(command.help));
    text += optionTexts(table.program) + section("NOTES") + asWritten(table.program.footer) +
            section("SEE ALSO");
    std::string_view comma;
    for (const CommandRow& command : table.commands) {
        text += fmt::format("{}.BR {} (1)", comma, plain("strc-" + command.name));
        comma = " ,\n";
    }
    return text + "\n";
}

std::string commandPage(const CommandRow& command, std::string_view version) {
    const std::string name = "strc-" + command.name;
    std::string text = title(name, version) + heading(name, command.help) + section("SYNOPSIS") +
                       fmt::format(".B strc {}\n[\\fIOPTION\\fR...]", plain(command.name));
    if (!command.argument.empty()) text += fmt::format(" [\\fI{}\\fR...]", plain(command.argument));
    return text + "\n" + optionTexts(command) + examples(command.footer) + section("SEE ALSO") +
           ".BR strc (1)\n";
}

}  // namespace

std::string manualPage(const CommandTable& table, std::string_view command,
                       std::string_view version) {
    for (const CommandRow& row : table.commands)
        if (row.name == command) return commandPage(row, version);
    return programPage(table, version);
}

}  // namespace strc::driver
