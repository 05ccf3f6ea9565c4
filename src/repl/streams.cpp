// `take 10 Ramp() | Scale(2)`, `Scale(2) <- [1, 2, 3]`, `s = Scale(2)`, `s <- "in.wav" -> "out.wav"`.

#include <algorithm>

#include <fmt/format.h>

#include "base/own_stack.h"
#include "repl/sink.h"
#include "repl/state.h"
#include "types/builtin_streams.h"
#include "types/math.h"
#include "types/tensor.h"

namespace strc::repl {

using types::Type;
using types::Value;

namespace {

constexpr std::uint64_t kGivenOfSource = 10;  ///< items that a source without `take` gives

}  // namespace

/// Does the entry speak of a stream, and not of numbers?
bool State::isStream(const Input& input) {
    std::vector<Token> tokens = tokenize(input.text());
    std::erase_if(tokens, [](const Token& t) { return t.kind == TokenKind::Comment; });
    if (tokens.empty()) return false;
    std::size_t at = 0;
    const bool isAssignment =
        tokens.size() > 2 && tokens[0].kind == TokenKind::Word && tokens[1].is("=");
    // An assignment to a variable whose right side does not name a stream.
    if (isAssignment && declarations.variables.contains(tokens[0].text) &&
        !isStreamName(tokens[2].text))
        return false;
    if (isAssignment) at = 2;
    const Token& first = tokens[at];
    if (isTensorCall(input, tokens, at)) return false;
    if (first.is("take") || first.is("<-") || isStreamKind(first)) return true;
    for (std::size_t k = at; k < tokens.size() && !tokens[k].is("{"); ++k)
        if (tokens[k].is("->") && isTypeArrow(tokens, k)) return true;
    if (first.is("(")) {
        while (at < tokens.size() && tokens[at].is("(")) ++at;
        return at < tokens.size() && (isStreamName(tokens[at].text) || isStreamKind(tokens[at]));
    }
    if (!mayNameStream(first)) return false;
    if (declarations.variables.contains(first.text)) return false;
    const Token* after = at + 1 < tokens.size() ? &tokens[at + 1] : nullptr;
    int depth = 0;
    for (std::size_t k = at; k < tokens.size(); ++k) {
        if (tokens[k].is("(")) ++depth;
        if (tokens[k].is(")")) --depth;
        if (depth == 0 && tokens[k].is("<-")) return true;
    }
    const bool follows =
        !after || after->is("(") || after->is("<") || after->is("|") || after->is("->");
    return follows && isStreamName(first.text);
}

bool State::isTensorCall(const Input& input, const std::vector<Token>& tokens, std::size_t at) {
    const std::string_view name = tokens[at].text;
    const bool isFunction = types::findTensorFn(name) != types::TensorFn::Count ||
                            types::findMathFn(name) != types::MathFn::Count;
    const bool isCall = isFunction && at + 2 < tokens.size() && tokens[at + 1].is("(");
    if (!isCall || instances.contains(name)) return false;
    for (std::size_t k = at; k < tokens.size(); ++k)
        if (tokens[k].is("<-") || tokens[k].is("->")) return false;
    return isExpression({input.typed, input.name, input.begin + tokens[at].begin, input.end});
}

bool State::isStreamName(std::string_view name) const {
    if (instances.contains(name)) return true;
    if (const Declaration* known = declarations.find(name)) return known->isStream();
    return workbench.isLibraryStream(name) ||
           types::findBuiltinStream(name) != types::BuiltinStream::None;
}

void State::checkName(const Input& input, std::string_view name, std::string_view kind) {
    auto refuse = [&](std::string_view other) {
        fail(input, fmt::format("'{}' is {}: the {} needs another name", name, other, kind));
    };
    if (kind != "stream" && instances.contains(name)) refuse("a stream that runs");
    if (kind != "variable" && declarations.variables.contains(name)) refuse("a variable");
    if (kind == "declaration") return;
    if (const Declaration* known = declarations.find(name))
        refuse(fmt::format("a declared {}", known->kind));
    if (isStreamName(name) && !instances.contains(name)) refuse("a stream of the library");
    if (name.ends_with("__")) refuse("a name of the session's own");
}

// ---------------------------------------------------------------- making

namespace {

MixedText wrapped(const Input& input, const Line& line, const std::string& name) {
    MixedText text(input.typed);
    text.own("void->void pipeline ").own(name).own(" {\n");
    for (Span span : line.elements) {
        Input element = part(input, line, span);
        text.own("add ").piece(element.begin, element.end).own(";\n");
    }
    return text.own("}\n"), text;
}

}  // namespace

std::string State::streamName() const {
    std::string name = "it";
    while (declarations.contains(name)) name += '_';
    return name;
}

std::shared_ptr<Running> State::make(const Input& input, const std::string& source, MixedText text,
                                     Use use) {
    Task task;
    task.typed = std::string(input.typed);
    task.input = input.name;
    task.top = streamName();
    task.last = isCompiled ? session::Stage::Planned : session::Stage::Balanced;
    auto made = std::make_shared<Running>(workbench, std::move(task), std::move(text), source);
    check(made->messages());
    if (isInterrupted(callbacks)) throw Failed();
    const std::vector<std::string> names = [&] {
        auto found = namesIn(made->mixed.text());
        return std::vector<std::string>(found.begin(), found.end());
    }();
    made->uses = declarations.copyOf(names);
    made->isCompiled = isCompiled;
    if (use == Use::Run && !made->isShapeless()) begin(made);
    return made;
}

void State::begin(const std::shared_ptr<Running>& made) {
    dropWritersOf(*made);
    const bool isReady =
        made->start([this](std::string_view printed) { show(printed); }, callbacks.interrupt);
    made->onChange = [this, raw = made.get()](graph::EdgeId edge) { showChange(*raw, edge); };
    check(made->messages());
    if (!isReady) throw Failed();
}

// ---------------------------------------------------------------- running

std::shared_ptr<Running> State::meant(const Input& input, const Line& line, Use use) {
    if (line.elements.empty()) {
        if (line.name) fail(input, "a stream is needed after '='");
        if (!current) fail(input, "there is no stream yet: 'Scale(2) <- [1, 2, 3]' makes one");
        return current;
    }
    for (Span each : line.elements) {
        if (each.isEmpty()) fail(input, "a stream is missing beside '|'");
        const std::string_view name = line.tokens[each.begin].text;
        auto known = instances.find(name);
        if (known == instances.end() || each.end != each.begin + 1) continue;
        if (line.elements.size() == 1 && !line.name) return known->second;
        fail(part(input, line, each),
             fmt::format("'{}' is a stream that runs already: it cannot become part of another",
                         name));
    }
    const Input whole = part(input, line, {line.elements.front().begin, line.elements.back().end});
    return make(input, std::string(whole.text()), wrapped(input, line, streamName()), use);
}

std::shared_ptr<Running> State::described(const Input& input) {
    const Line line = parseLine(input.text());
    if (line.elements.empty()) fail(input, "a stream is needed here");
    const Meanwhile quiet(isQuiet);
    return meant(input, line, Use::Look);
}

void State::stream(const Input& input) {
    const Line line = parseLine(input.text());
    if (line.rest)
        fail(part(input, line, *line.rest),
             "a stream has one source, '<- SOURCE', and behind it one sink, '-> SINK'");
    std::optional<std::uint64_t> take;
    if (line.take && line.take->isEmpty())
        fail(input, "'take' wants a number and a stream: 'take 10 Ramp()'");
    if (line.take) {
        const Input count = part(input, line, *line.take);
        const std::int64_t number = valueOf(count, "int")->toInt();
        if (number < 0) fail(count, "so many items cannot be taken");
        take = static_cast<std::uint64_t>(number);
    }
    std::string name;
    if (line.name) {
        name = part(input, line, *line.name).text();
        checkName(part(input, line, *line.name), name, "stream");
    }
    std::shared_ptr<Running> running = meant(input, line, Use::Run);
    hold(running, name);
    if (line.name && !line.source && !take && !line.sink) {
        confirm(fmt::format("{}: {}\n", name, running->signature()));
        return;
    }
    run(running, line, take, input);
}

/// Takes the source of a stream. If the stream's shapes are not known yet, the source determines them.
std::optional<State::Source> State::takeSource(const std::shared_ptr<Running>& stream,
                                               const Line& line, const Input& input) {
    if (!line.source) {
        if (stream->isShapeless())
            fail(input,
                 "the shape of what arrives is not known: what is fed says it, 's <- zeros(2, 3)'");
        return std::nullopt;
    }
    if (!takesTensors(*stream)) return sourceOf(*stream, line, input);
    const Input from = part(input, line, *line.source);
    const Arriving tensors = arriving(line, input);
    if (stream->isShapeless()) shape(stream, tensors, from);
    return tensorSource(*stream, tensors, from);
}

void State::run(const std::shared_ptr<Running>& held, const Line& line,
                std::optional<std::uint64_t> take, const Input& input) {
    Running& stream = *held;
    Goal goal{take, std::nullopt};
    const bool isOpen = stream.input() != nullptr;
    const bool isWhole = line.sink && stream.readsFile();
    const bool isBounded = take || isOpen || !stream.output() || isWhole;
    if (!isBounded) goal.items = kGivenOfSource;
    if (take && stream.isCompiled && stream.counted() > Running::Counted::Lines)
        fail(part(input, line, line.take.value_or(Span{})),
             "machine code counts items that come out and lines that are printed, and here is "
             "neither; ':engine interpret' counts what is written, or steady states");
    if (!line.source && isOpen && !take && !line.sink && !stream.hasBegun()) {
        const char* what = takesTensors(stream) ? "zeros(2, 3)" : "[1, 2, 3]";
        remark(fmt::format("{} waits for input: '<- {}' feeds it\n", stream.signature(), what));
        return;
    }
    std::optional<Source> source = takeSource(held, line, input);
    const bool isStreamed = callbacks.isTerse && !isQuiet;
    Sink sink(isStreamed ? callbacks.show : nullptr);
    const std::optional<FileSource>& file = source ? source->file : stream.file;
    checkSink(stream, line, input);
    sink.meaning = [&, next = stream.itemsGiven()](const Value& item) mutable {
        return stream.meaning(item, next++);
    };
    openSink(sink, input, line, stream, file ? file->info() : io::StreamInfo());
    if (source) feed(stream, std::move(*source));
    const Stop why =
        stream.go(goal, [&](const std::vector<Value>& items) { return sink.take(items); });
    std::vector<Message> messages = stream.messages();
    closeSink(sink, input, stream.output());
    tellWhy(stream, why, take, sink.count);
    if (!isBounded && why == Stop::Goal) remark("`take N` gives more.\n");
    check(std::move(messages));
    if (auto fault = stream.takeFault())
        fail(line.source ? part(input, line, *line.source) : input, fault->text);
    if (why == Stop::Failed) throw Failed();
}

void State::tellWhy(const Running& stream, Stop why, std::optional<std::uint64_t> wanted,
                    std::uint64_t count) {
    switch (why) {
        case Stop::Break:
            show(fmt::format("stopped before {} fires, after {} steps\n",
                             stream.nameOf(stream.live->next()), stream.live->steps()));
            break;
        case Stop::Interrupted:
            answer->isInterrupted = true;
            if (stream.isCompiled)
                confirm("interrupted; it begins anew\n");
            else
                confirm(fmt::format("interrupted after {} steps; ':continue' goes on\n",
                                    stream.live->steps()));
            break;
        case Stop::Waiting:
            if (wanted && stream.output() && count < *wanted)
                remark(fmt::format("{} of {}: the stream waits for more input\n", count, *wanted));
            break;
        case Stop::Failed:
            if (stream.isStuck())
                confirm("it fails here again: ':drop' takes items out, or make the stream anew\n");
            break;
        case Stop::Ended:
            if (stream.output() || wanted) remark("the end of the input is reached\n");
            break;
        default: break;
    }
}

}  // namespace strc::repl
