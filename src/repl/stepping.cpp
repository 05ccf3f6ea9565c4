// :step, :back, :continue, :break, :watch.
#include <fmt/format.h>

#include "repl/commands.h"
#include "repl/values.h"

namespace strc::repl {

using graph::EdgeId;
using graph::NodeId;
using types::Value;

/// A count after a command; 1 if there is none.
std::uint64_t State::countOf(const Input& arguments, std::uint64_t otherwise) {
    if (arguments.text().empty()) return otherwise;
    const std::int64_t number = valueOf(arguments, "int")->toInt();
    if (number < 0) fail(arguments, "a count is not negative");
    return static_cast<std::uint64_t>(number);
}

void State::goOn(Running& stream, const Goal& goal, bool isStepwise, const Input& input) {
    Items items;
    constexpr std::size_t kMost = 1 << 20;
    auto take = [&](const std::vector<Value>& more) {
        std::uint64_t next = stream.itemsGiven() - more.size();
        for (const Value& each : more) items.add(stream.meaning(each, next++));
        return items.count() < kMost;
    };
    const Stop why = stream.go(goal, take);
    std::vector<Message> messages = stream.messages();
    if (isStepwise && stream.live->last() != graph::kNone && why == Stop::Goal)
        show(fmt::format("{} fired\n", stream.nameOf(stream.live->last())));
    results = std::move(items);
    resultsOf = current;
    giveAll();
    if (results.count() >= kMost) fail(input, "so many items are not kept; ':continue' goes on");
    if (isStepwise && why == Stop::Waiting) remark("nobody can fire: the stream waits for input\n");
    tellWhy(stream, why, {}, 0);
    check(std::move(messages));
    if (auto fault = stream.takeFault()) fail(input, fault->text);
    if (why == Stop::Failed) throw Failed();
}

void State::stepCommand(const Input& input, const Input& arguments) {
    Running& stream = interpreted(input);
    const std::uint64_t count = countOf(arguments, 1);
    if (count == 0) return;
    stream.passBreak();
    goOn(stream, {{}, count}, true, input);
}

void State::continueCommand(const Input& input, const Input& arguments) {
    Running& stream = interpreted(input);
    Goal goal;
    if (!arguments.text().empty()) goal.steps = countOf(arguments, 1);
    const bool isEndless =
        !goal.steps && !stream.input() && stream.output() && stream.breaks.empty();
    if (isEndless) goal.items = 10;
    goOn(stream, goal, false, input);
}

void State::backCommand(const Input& input, const Input& arguments) {
    Running& stream = interpreted(input);
    const std::uint64_t steps = stream.live->steps();
    const std::uint64_t count = countOf(arguments, 1);
    if (count > steps)
        fail(input,
             fmt::format("only {} firing{} can be taken back", steps, steps == 1 ? "" : "s"));
    const bool isThere = stream.goBack(steps - count);
    check(stream.messages());
    if (!isThere) fail(input, "so far back is no longer known");
    const NodeId next = stream.live->next();
    show(fmt::format("after {} firing{}{}\n", stream.live->steps(),
                     stream.live->steps() == 1 ? "" : "s",
                     next == graph::kNone ? std::string()
                                          : fmt::format("; {} fires next", stream.nameOf(next))));
}

/// `:drop`, `:drop 3`, `:drop Ramp -> Scale`, `:drop Ramp -> Scale 3`.
void State::dropCommand(const Input& input, const Input& arguments) {
    Running& stream = interpreted(input);
    const std::vector<Input> words = wordsOf(arguments);
    Input name = arguments;
    std::uint64_t count = 1;
    const bool isCounted =
        !words.empty() && words.back().text().find_first_not_of("0123456789") == std::string::npos;
    if (isCounted) {
        count = countOf(words.back(), 1);
        name = partOf(arguments, arguments.begin, words.back().begin);
    }
    if (name.text().empty() && !stream.input())
        fail(input, "':drop' wants a channel here: ':peek' lists them");
    const std::vector<EdgeId> edges =
        name.text().empty() ? std::vector{stream.graph().input} : channels(stream, name);
    if (edges.size() > 1) fail(name, "several channels are called so: ':peek' lists them");
    const std::uint64_t there = stream.live->size(edges.front());
    if (count > there)
        fail(arguments.text().empty() ? input : arguments,
             fmt::format("the channel has only {} item{}", there, there == 1 ? "" : "s"));
    stream.live->drop(edges.front(), count);
    showChannel(stream, edges.front(), 16);
}

void State::breakCommand(const Input& input, const Input& arguments) {
    Running& stream = interpreted(input);
    if (arguments.text().empty()) {
        for (NodeId id : stream.breaks) show(fmt::format("stops before {}\n", stream.nameOf(id)));
        return;
    }
    const bool isEnd = arguments.text().starts_with('-');
    const Input name = isEnd ? partOf(arguments, arguments.begin + 1, arguments.end) : arguments;
    const std::vector<NodeId> nodes = stream.nodes(name.text());
    if (nodes.empty())
        fail(name, fmt::format("there is no filter '{}'; ':where' lists them", name.text()));
    if (stream.graph().isDynamic())
        fail(input,
             "in streams with dynamic rates filters fire in the midst of others: ':step' stops "
             "after each");
    for (NodeId id : nodes) {
        if (isEnd)
            stream.breaks.erase(id);
        else
            stream.breaks.insert(id);
        show(fmt::format("{} before {}\n", isEnd ? "no longer stops" : "stops", stream.nameOf(id)));
    }
}

void State::watchCommand(const Input& input, const Input& arguments) {
    Running& stream = interpreted(input);
    if (arguments.text().empty()) {
        for (EdgeId edge : stream.watched) showChannel(stream, edge, 16);
        return;
    }
    const bool isEnd = arguments.text().starts_with('-') && !arguments.text().starts_with("->");
    const Input name = isEnd ? partOf(arguments, arguments.begin + 1, arguments.end) : arguments;
    for (EdgeId edge : channels(stream, name)) {
        if (isEnd)
            stream.watched.erase(edge);
        else
            stream.watched.insert(edge);
        show(fmt::format("{} {}\n", isEnd ? "no longer watches" : "watches",
                         stream.nameOfEdge(edge)));
    }
}

}  // namespace strc::repl
