// Sources of streams of tensors, which stand behind `<-`: files and values. They determine the shape that arrives, too.
#include <fmt/format.h>

#include "io/tensors.h"
#include "repl/state.h"
#include "repl/tensor_items.h"

namespace strc::repl {

using types::Type;
using types::TypeKind;

bool State::takesTensors(const Running& stream) const {
    if (!stream.input()) return false;
    return stream.isShapeless() || !stream.tensors(stream.graph().input).empty();
}

/// The value of an expression, also of a number or an array, as a tensor.
session::Held State::tensorOf(const Input& expression) {
    return session::heldOf(*valueOf(expression, "tensor"));
}

State::Arriving State::arriving(const Line& line, const Input& input) {
    Arriving made;
    const Input from = part(input, line, *line.source);
    const Span span = *line.source;
    if (span.isEmpty()) fail(from, "'<-' wants items: zeros(2, 3), a variable or \"file\"");
    if (isString(line, span)) {
        made.file = fileIn(from);
        return made;
    }
    const bool isList = line.tokens[span.begin].is("[") && line.tokens[span.end - 1].is("]");
    if (!isList && countItems(line, span) > 1)
        fail(from, "a list of items is written in brackets: [x, y]");
    if (!isList) {
        made.values.push_back(tensorOf(from));
        return made;
    }
    if (const auto mark = rangeMark(line, span)) {
        const Input first = part(input, line, {span.begin + 1, *mark});
        const Input last = part(input, line, {*mark + 1, span.end - 1});
        const types::TypeTable types;
        const std::string ints = range(first, last, types.intType());
        for (std::size_t k = 0; k < ints.size(); k += sizeof(std::int32_t))
            made.values.push_back({ints.substr(k, sizeof(std::int32_t)), TypeKind::Int});
        return made;
    }
    for (Span rest{span.begin + 1, span.end - 1}; !rest.isEmpty();) {
        const Span item = firstItem(line, rest);
        made.values.push_back(tensorOf(part(input, line, item)));
        rest.begin = item.end + 1;
    }
    return made;
}

/// Compiles the stream for what arrives, with what it was made of.
void State::shape(const std::shared_ptr<Running>& stream, const Arriving& arriving,
                  const Input& from) {
    types::TypeTable& types = *stream->work->program.program.types;
    const Type* declared = stream->input();
    std::vector<const Type*> wholes;
    if (!arriving.file.empty()) {
        const io::Format format = formatOf(from, arriving.file);
        if (!io::knowsTensors(format))
            fail(from, fmt::format("'{}' does not say what shape its tensors have; .npy, "
                                   ".safetensors and pictures do",
                                   arriving.file));
        auto found = io::typesIn({arriving.file, format}, declared, types);
        if (!found) fail(from, found.error());
        wholes = std::move(*found);
    }
    for (const session::Held& each : arriving.values) wholes.push_back(tensorType(each, types));
    if (wholes.empty()) fail(from, "there is no item here that would have a shape");
    std::vector<std::string> inputs;
    for (const Type* whole : wholes) {
        const Type* item = io::itemIn(whole, declared, types);
        if (!item)
            fail(from, fmt::format("{} arrives where {} is declared", types::toString(whole),
                                   types::toString(declared)));
        inputs.push_back(shapeText(item));
    }
    {
        const Formerly then(declarations, stream->uses);
        stream->shape(std::move(inputs));
    }
    std::vector<Message> messages = stream->messages();
    const bool hasErrors = stream->work->hasErrors();
    check(std::move(messages));
    if (hasErrors || isInterrupted(callbacks)) throw Failed();
    begin(stream);
}

State::Source State::tensorSource(const Running& stream, const Arriving& arriving,
                                  const Input& from) {
    const graph::Edge& edge = stream.graph().edges[stream.graph().input];
    const Type* memory = graph::memoryOf(edge);
    Source source;
    if (!arriving.file.empty()) {
        const std::string& file = arriving.file;
        auto opened = io::openTensorReader({{file, formatOf(from, file)}}, {edge.tensors, memory},
                                           "the stream", {});
        if (!opened) fail(from, opened.error());
        source.file.emplace(file, std::move(*opened), memory);
        return source;
    }
    types::TypeTable& types = *stream.work->program.program.types;
    for (const session::Held& value : arriving.values) {
        const std::uint64_t next = stream.itemsFed() + source.items.size() / stream.inputSize();
        const auto items = toItems(value, edge.tensors, next, memory, types);
        if (!items)
            fail(from, fmt::format(
                           "{} arrives where the stream takes {}; made anew it takes other shapes",
                           types::toString(tensorType(value, types)),
                           types::toString(edge.tensors[next % edge.tensors.size()])));
        source.items += *items;
    }
    return source;
}

}  // namespace strc::repl
