// :step, :back, :continue, :break, :watch.
#include <fmt/format.h>

#include "repl/detail/channel_text.h"
#include "repl/detail/commands.h"
#include "repl/detail/node_names.h"

namespace strc::repl {

using graph::EdgeId;
using graph::NodeId;

namespace {

/// A count after a command; 1 if there is none.
std::uint64_t countIn(State& state, const Input& arguments) {
    if (arguments.text().empty()) return 1;
    return state.evaluator.countOf(arguments, "a count is not negative");
}

}  // namespace

void stepCommand(State& state, const Input& input, const Input& arguments) {
    Running& stream = state.streams.interpreted(input);
    const std::uint64_t count = countIn(state, arguments);
    if (count == 0) return;
    stream.passBreak();
    state.runner.goOn(stream, {{}, count}, true, input);
}

void continueCommand(State& state, const Input& input, const Input& arguments) {
    Running& stream = state.streams.interpreted(input);
    Goal goal;
    if (!arguments.text().empty()) goal.steps = countIn(state, arguments);
    const bool isEndless =
        !goal.steps && !stream.input() && stream.output() && stream.breaks.empty();
    if (isEndless) goal.items = 10;
    state.runner.goOn(stream, goal, false, input);
}

void backCommand(State& state, const Input& input, const Input& arguments) {
    Running& stream = state.streams.interpreted(input);
    const std::uint64_t steps = stream.live->steps();
    const std::uint64_t count = countIn(state, arguments);
    if (count > steps)
        state.output.fail(
            input, fmt::format("only {} firing{} can be taken back", steps, steps == 1 ? "" : "s"));
    const bool isThere = stream.goBack(steps - count);
    state.output.check(stream.messages());
    if (!isThere) state.output.fail(input, "so far back is no longer known");
    const NodeId next = stream.live->next();
    state.output.show(fmt::format(
        "after {} firing{}{}\n", stream.live->steps(), stream.live->steps() == 1 ? "" : "s",
        next == graph::kNone ? std::string()
                             : fmt::format("; {} fires next", nameOf(stream.graph(), next))));
}

/// `:drop`, `:drop 3`, `:drop Ramp -> Scale`, `:drop Ramp -> Scale 3`.
void dropCommand(State& state, const Input& input, const Input& arguments) {
    Running& stream = state.streams.interpreted(input);
    const std::vector<Input> words = wordsOf(arguments);
    Input name = arguments;
    std::uint64_t count = 1;
    const bool isCounted =
        !words.empty() && words.back().text().find_first_not_of("0123456789") == std::string::npos;
    if (isCounted) {
        count = countIn(state, words.back());
        name = partOf(arguments, arguments.begin, words.back().begin);
    }
    if (name.text().empty() && !stream.input())
        state.output.fail(input, "':drop' wants a channel here: ':peek' lists them");
    const std::vector<EdgeId> edges = name.text().empty() ? std::vector{stream.graph().input}
                                                          : channelsCalled(state, stream, name);
    if (edges.size() > 1)
        state.output.fail(name, "several channels are called so: ':peek' lists them");
    const std::uint64_t there = stream.live->size(edges.front());
    if (count > there)
        state.output.fail(
            arguments.text().empty() ? input : arguments,
            fmt::format("the channel has only {} item{}", there, there == 1 ? "" : "s"));
    stream.live->drop(edges.front(), count);
    state.output.show(channelText(stream, edges.front()));
}

void breakCommand(State& state, const Input& input, const Input& arguments) {
    Running& stream = state.streams.interpreted(input);
    if (arguments.text().empty()) {
        for (NodeId id : stream.breaks)
            state.output.show(fmt::format("stops before {}\n", nameOf(stream.graph(), id)));
        return;
    }
    const bool isEnd = arguments.text().starts_with('-');
    const Input name = isEnd ? partOf(arguments, arguments.begin + 1, arguments.end) : arguments;
    const std::vector<NodeId> nodes = nodesCalled(stream.graph(), name.text());
    if (nodes.empty())
        state.output.fail(name,
                          fmt::format("there is no filter '{}'; ':where' lists them", name.text()));
    if (stream.graph().isDynamic())
        state.output.fail(
            input,
            "in streams with dynamic rates filters fire in the midst of others: ':step' stops "
            "after each");
    for (NodeId id : nodes) {
        if (isEnd)
            stream.breaks.erase(id);
        else
            stream.breaks.insert(id);
        state.output.show(fmt::format("{} before {}\n", isEnd ? "no longer stops" : "stops",
                                      nameOf(stream.graph(), id)));
    }
}

void watchCommand(State& state, const Input& input, const Input& arguments) {
    Running& stream = state.streams.interpreted(input);
    if (arguments.text().empty()) {
        for (EdgeId edge : stream.watched) state.output.show(channelText(stream, edge));
        return;
    }
    const bool isEnd = arguments.text().starts_with('-') && !arguments.text().starts_with("->");
    const Input name = isEnd ? partOf(arguments, arguments.begin + 1, arguments.end) : arguments;
    for (EdgeId edge : channelsCalled(state, stream, name)) {
        if (isEnd)
            stream.watched.erase(edge);
        else
            stream.watched.insert(edge);
        state.output.show(fmt::format("{} {}\n", isEnd ? "no longer watches" : "watches",
                                      nameOfEdge(stream.graph(), edge)));
    }
}

}  // namespace strc::repl
