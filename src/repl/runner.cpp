#include "repl/detail/runner.h"

#include <fmt/format.h>

#include "repl/detail/node_names.h"
#include "repl/detail/sink.h"

namespace strc::repl {

using types::Value;

namespace {

constexpr std::uint64_t kGivenOfSource = 10;  ///< items that a source without `take` gives

}  // namespace

std::optional<std::uint64_t> Runner::countTaken(const Input& input, const Line& line) {
    if (!line.take) return std::nullopt;
    if (line.take->isEmpty())
        output.fail(input, "'take' wants a number and a stream: 'take 10 Ramp()'");
    return evaluator.countOf(part(input, line, *line.take), "so many items cannot be taken");
}

void Runner::stream(const Input& input) {
    const Line line = parseLine(input.text());
    if (line.rest)
        output.fail(part(input, line, *line.rest),
                    "a stream has one source, '<- SOURCE', and behind it one sink, '-> SINK'");
    const std::optional<std::uint64_t> take = countTaken(input, line);
    std::string name;
    if (line.name) {
        name = part(input, line, *line.name).text();
        names.check(part(input, line, *line.name), name, "stream");
    }
    const std::shared_ptr<Running> running = streamMaker.meant(input, line, StreamMaker::Use::Run);
    streams.hold(running, name);
    if (line.name && !line.source && !take && !line.sink)
        return output.confirm(fmt::format("{}: {}\n", name, running->signature()));
    run(running, {line, take, input});
}

/// An open stream that has begun goes on with what it was fed with before.
bool Runner::waitsForInput(const Running& stream, const Order& order) {
    const bool saysNothing = !order.line.source && !order.take && !order.line.sink;
    if (!saysNothing || !stream.input() || stream.hasBegun()) return false;
    const char* what = feeder.takesTensors(stream) ? "zeros(2, 3)" : "[1, 2, 3]";
    output.remark(fmt::format("{} waits for input: '<- {}' feeds it\n", stream.signature(), what));
    return true;
}

void Runner::run(const std::shared_ptr<Running>& held, const Order& order) {
    const auto& [line, take, input] = order;
    Running& stream = *held;
    Goal goal{take, std::nullopt};
    const bool isWhole = line.sink && stream.readsFile();
    const bool isBounded = take || stream.input() || !stream.output() || isWhole;
    if (!isBounded) goal.items = kGivenOfSource;
    if (take && stream.isCompiled && stream.counted() > Running::Counted::Lines)
        output.fail(part(input, line, line.take.value_or(Span{})),
                    "machine code counts items that come out and lines that are printed, and here "
                    "is neither; ':engine interpret' counts what is written, or steady states");
    if (waitsForInput(stream, order)) return;
    std::optional<Feeder::Source> source = feeder.source(held, line, input);
    const bool isStreamed = output.callbacks.isTerse && !output.isQuiet;
    Sink sink(isStreamed ? output.callbacks.show : nullptr);
    const std::optional<FileSource>& file = source ? source->file : stream.file;
    captured.check(stream, line, input);
    sink.meaning = [&, next = stream.itemsGiven()](const Value& item) mutable {
        return stream.meaning(item, next++);
    };
    captured.open(sink, input, line, stream, file ? file->info() : io::StreamInfo());
    if (source) feeder.feed(stream, std::move(*source));
    const Stop why =
        stream.go(goal, [&](const std::vector<Value>& items) { return sink.take(items); });
    std::vector<Message> messages = stream.messages();
    captured.close(sink, input, held);
    tellWhy(stream, why, take, sink.count);
    if (!isBounded && why == Stop::Goal) output.remark("`take N` gives more.\n");
    checkEnd(stream, why, std::move(messages),
             line.source ? part(input, line, *line.source) : input);
}

/// `place`: of the file that feeds the stream, which may have ended early.
void Runner::checkEnd(Running& stream, Stop why, std::vector<Message> messages,
                      const Input& place) {
    output.check(std::move(messages));
    if (auto fault = stream.takeFault()) output.fail(place, fault->text);
    if (why == Stop::Failed) throw Failed();
}

void Runner::goOn(Running& stream, const Goal& goal, bool isStepwise, const Input& input) {
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
        output.show(fmt::format("{} fired\n", nameOf(stream.graph(), stream.live->last())));
    captured.show(std::move(items), streams.current());
    if (results().last().count() >= kMost)
        output.fail(input, "so many items are not kept; ':continue' goes on");
    if (isStepwise && why == Stop::Waiting)
        output.remark("nobody can fire: the stream waits for input\n");
    tellWhy(stream, why, {}, 0);
    checkEnd(stream, why, std::move(messages), input);
}

void Runner::tellWhy(const Running& stream, Stop why, std::optional<std::uint64_t> wanted,
                     std::uint64_t count) {
    switch (why) {
        case Stop::Break:
            output.show(fmt::format("stopped before {} fires, after {} steps\n",
                                    nameOf(stream.graph(), stream.live->next()),
                                    stream.live->steps()));
            break;
        case Stop::Interrupted:
            output.answer().isInterrupted = true;
            if (stream.isCompiled)
                output.confirm("interrupted; it begins anew\n");
            else
                output.confirm(fmt::format("interrupted after {} steps; ':continue' goes on\n",
                                           stream.live->steps()));
            break;
        case Stop::Waiting:
            if (wanted && stream.output() && count < *wanted)
                output.remark(
                    fmt::format("{} of {}: the stream waits for more input\n", count, *wanted));
            break;
        case Stop::Failed:
            if (stream.isStuck())
                output.confirm(
                    "it fails here again: ':drop' takes items out, or make the stream anew\n");
            break;
        case Stop::Ended:
            if (stream.output() || wanted) output.remark("the end of the input is reached\n");
            break;
        default: break;
    }
}

}  // namespace strc::repl
