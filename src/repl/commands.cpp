// Commands, which begin with a colon: their table, help, and those about the session itself.
#include "repl/detail/commands.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/spelling.h"
#include "repl/detail/node_names.h"

namespace strc::repl {

namespace {

constexpr std::array kCommands = std::to_array<Command>({
    {":back", "[N]", "take the last firing back, or the last N",
     "  :back\n  :back 20\nWhat was printed or written to files stays.", &backCommand},
    {":break", "[FILTER]", "stop before a filter fires; without a name: list the stops",
     "  :break Scale\n  :break branch[1].Scale\n  :break -Scale       removes it", &breakCommand},
    {":compile", "FILE", "make an executable of the present stream",
     "  take 3 Ramp() | Print()\n  :compile ramp\nStreams with an open end read and write standard "
     "input and output, or --in and --out.",
     &compileCommand},
    {":continue", "[N]", "go on with the present stream, at most N firings",
     "  :continue\n  :continue 1000", &continueCommand},
    {":drop", "[CHANNEL] [N]", "take the first item out of a channel, or the first N",
     "  :drop                one item of the input\n  :drop Ramp -> Scale 3\nIt helps where an "
     "item "
     "makes a filter fail again and again.",
     &dropCommand},
    {":engine", "[interpret|jit]", "run new streams by the interpreter, or as machine code",
     "  :engine jit\n  take 5 Ramp()\nMachine code is fast, runs whole steady states and "
     "cannot be stepped. After an error or Ctrl-C a stream begins anew.",
     &engineCommand},
    {":graph", "[STREAM] [> FILE]", "the stream graph as a tree, or as a picture in a file",
     "  :graph\n  :graph Ramp() | Scale(2)\n  :graph > ramp.svg\nFiles end in .svg, .png, .dot, "
     ".json "
     "or .txt; pictures are drawn by Graphviz.",
     &graphCommand},
    {":help", "[COMMAND or TOPIC]", "what can be typed", "  :help\n  :help :peek\n  :help take",
     &helpCommand},
    {":list", "[NAME]", "what is declared, or the text of one declaration",
     "  :list\n  :list Scale", &listCommand},
    {":load", "FILE", "declare what a file declares", "  :load radio.str", &loadCommand},
    {":peek", "[CHANNEL]", "what lies in the channels",
     "  :peek\n  :peek Ramp -> Scale\n  :peek input\n  :peek 0", &peekCommand},
    {":plot", "[STREAM or VALUES] [> FILE]",
     "draw numbers: of the last run, of a stream, of a variable",
     "  take 100 SineSource(1.0, 0.1)\n  :plot\n  :plot take 64 Ramp()\n  :plot > wave.svg\n"
     "Files end in .svg or .png.",
     &plotCommand},
    {":quit", "", "leave", "  :quit", &quitCommand},
    {":rates", "[STREAM]", "what each filter takes and gives, and how often it fires",
     "  :rates\n  :rates Ramp() | Scale(2)", &ratesCommand},
    {":reload", "", "load the files again; what was declared at the prompt stays", "  :reload",
     &reloadCommand},
    {":save", "FILE", "write all declarations to a file", "  :save session.str", &saveCommand},
    {":schedule", "[STREAM]", "in which order the filters of a steady state fire",
     "  :schedule\n  :schedule Ramp() | Scale(2)", &scheduleCommand},
    {":step", "[N]", "one firing of the present stream, or N",
     "  s = Scale(2)\n  s <- [1, 2]\n  :step\n  :step 10", &stepCommand},
    {":time", "[on|off]", "show how long every line takes", "  :time on", &timeCommand},
    {":type", "EXPRESSION or STREAM", "the type of something",
     "  :type 2 * pi\n  :type Ramp() | Scale(2)\n  :type Scale", &typeCommand},
    {":watch", "[CHANNEL]", "show a channel whenever it changes; without one: list what is watched",
     "  :watch Ramp -> Scale\n  :watch -Ramp -> Scale    ends it", &watchCommand},
    {":where", "", "how often each filter has fired, who is next, what lies in the channels",
     "  :where", &whereCommand},
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

void runCommand(State& state, const Input& input) {
    std::size_t end = input.begin + 1;
    while (end < input.end && std::isalpha(static_cast<unsigned char>(input.typed[end]))) ++end;
    const std::string_view name = input.typed.substr(input.begin, end - input.begin);
    const Command* found = findCommand(name);
    if (!found) state.output.failAt(input, input.begin, end, whyNone(name));
    const Input arguments = partOf(input, end, endOfCode(input, end));
    if (found->arguments.empty() && !arguments.text().empty())
        state.output.fail(arguments, fmt::format("{} takes no arguments", found->name));
    found->run(state, input, arguments);
}

// ---------------------------------------------------------------- about the session

void quitCommand(State& state, const Input&, const Input&) { state.output.answer().isEnd = true; }

void timeCommand(State& state, const Input&, const Input& arguments) {
    if (arguments.text() == "on" || arguments.text().empty())
        state.isTimed = true;
    else if (arguments.text() == "off")
        state.isTimed = false;
    else
        state.output.fail(arguments, "':time on' or ':time off'");
}

void engineCommand(State& state, const Input&, const Input& arguments) {
    const std::string_view word = arguments.text();
    if (word == "jit" || word == "interpret")
        state.streamMaker.isCompiled = word == "jit";
    else if (!word.empty())
        state.output.fail(arguments, "the engines are 'interpret' and 'jit'");
    state.output.confirm(state.streamMaker.isCompiled ? "new streams run as machine code\n"
                                                      : "new streams are interpreted\n");
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

void listCommand(State& state, const Input&, const Input& arguments) {
    const std::string_view name = arguments.text();
    if (name.empty()) {
        for (const Declaration* each : state.declarations.all())
            state.output.show(each->head + "\n");
        for (const auto& each : state.declarations.variables) state.output.show(lineOf(each));
        for (const auto& each : state.streams.named()) state.output.show(lineOf(each));
        return;
    }
    if (const Declaration* found = state.declarations.find(name))
        return state.output.show(found->text + "\n");
    if (auto found = state.streams.named().find(name); found != state.streams.named().end())
        return state.output.show(lineOf(*found));
    if (auto found = state.declarations.variables.find(name);
        found != state.declarations.variables.end())
        return state.output.show(lineOf(*found));
    if (std::string head = state.names.headOf(name); !head.empty())
        return state.output.show(head + "\n");
    state.output.fail(arguments, fmt::format("'{}' is not declared", name));
}

Input onlyWord(State& state, const Input& input, const Input& arguments, std::string_view wanted) {
    const std::vector<Input> words = wordsOf(arguments);
    if (words.empty()) state.output.fail(input, wanted);
    if (words.size() > 1)
        state.output.fail(words[1],
                          "one name is enough here; quotes hold one with blanks together");
    return words.front();
}

std::vector<graph::EdgeId> channelsCalled(State& state, const Running& stream, const Input& name) {
    std::vector<graph::EdgeId> edges = edgesCalled(stream.graph(), name.text());
    if (edges.empty())
        state.output.fail(name,
                          fmt::format("there is no channel '{}'; ':peek' lists them", name.text()));
    return edges;
}

}  // namespace strc::repl
