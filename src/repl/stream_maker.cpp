#include "repl/detail/stream_maker.h"

#include <fmt/format.h>

#include "repl/detail/channel_text.h"

namespace strc::repl {

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

std::string StreamMaker::streamName() const {
    std::string name = "it";
    while (declarations.contains(name)) name += '_';
    return name;
}

std::shared_ptr<Running> StreamMaker::make(const Input& input, const std::string& source,
                                           MixedText text, Use use) {
    Task task;
    task.typed = std::string(input.typed);
    task.input = input.name;
    task.top = streamName();
    task.last = isCompiled ? session::Stage::Planned : session::Stage::Balanced;
    auto made = std::make_shared<Running>(workbench, std::move(task), std::move(text), source);
    output.check(made->messages());
    output.stopIfInterrupted();
    const std::vector<std::string> names = [&] {
        auto found = namesIn(made->mixed.text());
        return std::vector<std::string>(found.begin(), found.end());
    }();
    made->uses = declarations.copyOf(names);
    made->isCompiled = isCompiled;
    if (use == Use::Run && !made->isShapeless()) begin(made);
    return made;
}

void StreamMaker::begin(const std::shared_ptr<Running>& made) {
    streams.dropWritersOf(*made);
    const bool isReady = made->start([this](std::string_view printed) { output.show(printed); },
                                     output.callbacks.interrupt);
    made->onChange = [this, raw = made.get()](graph::EdgeId edge) {
        output.show(changeText(*raw, edge));
    };
    output.check(made->messages());
    if (!isReady) throw Failed();
}

std::shared_ptr<Running> StreamMaker::meant(const Input& input, const Line& line, Use use) {
    if (line.elements.empty()) {
        if (line.name) output.fail(input, "a stream is needed after '='");
        if (!streams.current())
            output.fail(input, "there is no stream yet: 'Scale(2) <- [1, 2, 3]' makes one");
        return streams.current();
    }
    for (Span each : line.elements) {
        if (each.isEmpty()) output.fail(input, "a stream is missing beside '|'");
        const std::string_view name = line.tokens[each.begin].text;
        auto known = streams.named().find(name);
        if (known == streams.named().end() || each.end != each.begin + 1) continue;
        if (line.elements.size() == 1 && !line.name) return known->second;
        output.fail(
            part(input, line, each),
            fmt::format("'{}' is a stream that runs already: it cannot become part of another",
                        name));
    }
    const Input whole = part(input, line, {line.elements.front().begin, line.elements.back().end});
    return make(input, std::string(whole.text()), wrapped(input, line, streamName()), use);
}

std::shared_ptr<Running> StreamMaker::described(const Input& input) {
    const Line line = parseLine(input.text());
    if (line.elements.empty()) output.fail(input, "a stream is needed here");
    const Meanwhile quiet(output.isQuiet);
    return meant(input, line, Use::Look);
}

}  // namespace strc::repl
