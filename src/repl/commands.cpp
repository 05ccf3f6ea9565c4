// Commands, which begin with a colon: their table, help, and those about the session itself.
#include "repl/commands.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/spelling.h"

namespace strc::repl {

namespace {

using S = State;

constexpr std::array kCommands = std::to_array<Command>({
    {":back", "[N]", "take the last firing back, or the last N",
     "  :back\n  :back 20\nWhat was printed or written to files stays.", &S::backCommand},
    {":break", "[FILTER]", "stop before a filter fires; without a name: list the stops",
     "  :break Scale\n  :break branch[1].Scale\n  :break -Scale       removes it",
     &S::breakCommand},
    {":compile", "FILE", "make an executable of the present stream",
     "  take 3 Ramp() | Print()\n  :compile ramp\nStreams with an open end read and write standard "
     "input and output, or --in and --out.",
     &S::compileCommand},
    {":continue", "[N]", "go on with the present stream, at most N firings",
     "  :continue\n  :continue 1000", &S::continueCommand},
    {":drop", "[CHANNEL] [N]", "take the first item out of a channel, or the first N",
     "  :drop                one item of the input\n  :drop Ramp -> Scale 3\nIt helps where an "
     "item "
     "makes a filter fail again and again.",
     &S::dropCommand},
    {":engine", "[interpret|jit]", "run new streams by the interpreter, or as machine code",
     "  :engine jit\n  take 5 Ramp()\nMachine code is fast, runs whole steady states and "
     "cannot be stepped. After an error or Ctrl-C a stream begins anew.",
     &S::engineCommand},
    {":graph", "[STREAM] [> FILE]", "the stream graph as a tree, or as a picture in a file",
     "  :graph\n  :graph Ramp() | Scale(2)\n  :graph > ramp.svg\nFiles end in .svg, .png, .dot, "
     ".json "
     "or .txt; pictures are drawn by Graphviz.",
     &S::graphCommand},
    {":help", "[COMMAND or TOPIC]", "what can be typed", "  :help\n  :help :peek\n  :help take",
     &S::helpCommand},
    {":list", "[NAME]", "what is declared, or the text of one declaration",
     "  :list\n  :list Scale", &S::listCommand},
    {":load", "FILE", "declare what a file declares", "  :load radio.str", &S::loadCommand},
    {":peek", "[CHANNEL]", "what lies in the channels",
     "  :peek\n  :peek Ramp -> Scale\n  :peek input\n  :peek 0", &S::peekCommand},
    {":plot", "[STREAM or VALUES] [> FILE]",
     "draw numbers: of the last run, of a stream, of a variable",
     "  take 100 SineSource(1.0, 0.1)\n  :plot\n  :plot take 64 Ramp()\n  :plot > wave.svg\n"
     "Files end in .svg or .png.",
     &S::plotCommand},
    {":quit", "", "leave", "  :quit", &S::quitCommand},
    {":rates", "[STREAM]", "what each filter takes and gives, and how often it fires",
     "  :rates\n  :rates Ramp() | Scale(2)", &S::ratesCommand},
    {":reload", "", "load the files again; what was declared at the prompt stays", "  :reload",
     &S::reloadCommand},
    {":save", "FILE", "write all declarations to a file", "  :save session.str", &S::saveCommand},
    {":schedule", "[STREAM]", "in which order the filters of a steady state fire",
     "  :schedule\n  :schedule Ramp() | Scale(2)", &S::scheduleCommand},
    {":step", "[N]", "one firing of the present stream, or N",
     "  s = Scale(2)\n  s <- [1, 2]\n  :step\n  :step 10", &S::stepCommand},
    {":time", "[on|off]", "show how long every line takes", "  :time on", &S::timeCommand},
    {":type", "EXPRESSION or STREAM", "the type of something",
     "  :type 2 * pi\n  :type Ramp() | Scale(2)\n  :type Scale", &S::typeCommand},
    {":watch", "[CHANNEL]", "show a channel whenever it changes; without one: list what is watched",
     "  :watch Ramp -> Scale\n  :watch -Ramp -> Scale    ends it", &S::watchCommand},
    {":where", "", "how often each filter has fired, who is next, what lies in the channels",
     "  :where", &S::whereCommand},
});

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* findCommand(std::string_view name) {
    const Command* found = nullptr;
    for (const Command& each : kCommands) {
        if (each.name == name) return &each;
        if (!each.name.starts_with(name)) continue;
        if (found) return nullptr;
        found = &each;
    }
    return name.size() > 1 ? found : nullptr;
}

/// Why `findCommand` finds nothing.
std::string whyNone(std::string_view name) {
    std::vector<std::string_view> meant;
    base::SpellingSearch search(name);
    for (const Command& each : kCommands) {
        search.consider(each.name);
        if (name.size() > 1 && each.name.starts_with(name)) meant.push_back(each.name);
    }
    if (!meant.empty()) return fmt::format("'{}' may be {}", name, fmt::join(meant, " or "));
    const std::string_view best = search.best();
    return fmt::format(
        "there is no command '{}'; {}", name,
        best.empty() ? std::string(":help lists them") : fmt::format("did you mean '{}'?", best));
}

namespace {

/// A comment may follow; in a path `//` is none.
std::size_t endOfCode(const Input& input, std::size_t begin) {
    bool isQuoted = false;
    for (std::size_t at = begin; at + 1 < input.end; ++at) {
        if (input.typed[at] == '"') isQuoted = !isQuoted;
        const bool isWord =
            at == begin || input.typed[at - 1] == ' ' || input.typed[at - 1] == '\t';
        if (!isQuoted && isWord && input.typed.substr(at, 2) == "//") return at;
    }
    return input.end;
}

}  // namespace

void State::command(const Input& input) {
    std::size_t end = input.begin + 1;
    while (end < input.end && std::isalpha(static_cast<unsigned char>(input.typed[end]))) ++end;
    const std::string_view name = input.typed.substr(input.begin, end - input.begin);
    const Command* found = findCommand(name);
    if (!found) failAt(input, input.begin, end, whyNone(name));
    const Input arguments = partOf(input, end, endOfCode(input, end));
    if (found->arguments.empty() && !arguments.text().empty())
        fail(arguments, fmt::format("{} takes no arguments", found->name));
    (this->*found->run)(input, arguments);
}

// ---------------------------------------------------------------- about the session

void State::quitCommand(const Input&, const Input&) { answer->isEnd = true; }

void State::timeCommand(const Input&, const Input& arguments) {
    if (arguments.text() == "on" || arguments.text().empty())
        isTimed = true;
    else if (arguments.text() == "off")
        isTimed = false;
    else
        fail(arguments, "':time on' or ':time off'");
}

void State::engineCommand(const Input&, const Input& arguments) {
    const std::string_view word = arguments.text();
    if (word == "jit" || word == "interpret")
        isCompiled = word == "jit";
    else if (!word.empty())
        fail(arguments, "the engines are 'interpret' and 'jit'");
    confirm(isCompiled ? "new streams run as machine code\n" : "new streams are interpreted\n");
}

namespace {

std::string lineOf(const std::pair<const std::string, Variable>& variable) {
    return fmt::format("{} {}\n", variable.second.type, variable.first);
}

std::string lineOf(const std::pair<const std::string, std::shared_ptr<Running>>& stream) {
    return fmt::format("{} = {}  ({})\n", stream.first, stream.second->source,
                       stream.second->signature());
}

}  // namespace

void State::listCommand(const Input&, const Input& arguments) {
    const std::string_view name = arguments.text();
    if (name.empty()) {
        for (const Declaration* each : declarations.all()) show(each->head + "\n");
        for (const auto& each : declarations.variables) show(lineOf(each));
        for (const auto& each : instances) show(lineOf(each));
        return;
    }
    if (const Declaration* found = declarations.find(name)) return show(found->text + "\n");
    if (auto found = instances.find(name); found != instances.end()) return show(lineOf(*found));
    if (auto found = declarations.variables.find(name); found != declarations.variables.end())
        return show(lineOf(*found));
    if (std::string head = headOf(name); !head.empty()) return show(head + "\n");
    fail(arguments, fmt::format("'{}' is not declared", name));
}

}  // namespace strc::repl
