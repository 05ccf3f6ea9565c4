#include "repl/detail/feeder.h"

#include <fmt/format.h>

#include "io/tensors.h"
#include "repl/detail/tensor_items.h"
#include "repl/detail/typed_files.h"

namespace strc::repl {

using types::Type;
using types::TypeKind;

bool Feeder::takesTensors(const Running& stream) const {
    if (!stream.input()) return false;
    return stream.isShapeless() || !stream.tensors(stream.graph().input).empty();
}

std::optional<Feeder::Source> Feeder::source(const std::shared_ptr<Running>& stream,
                                             const Line& line, const Input& input) {
    if (!line.source) {
        if (stream->isShapeless())
            output.fail(
                input,
                "the shape of what arrives is not known: what is fed says it, 's <- zeros(2, 3)'");
        return std::nullopt;
    }
    if (!takesTensors(*stream)) return itemSource(*stream, line, input);
    const Input from = part(input, line, *line.source);
    const Arriving tensors = arriving(line, input);
    if (stream->isShapeless()) shape(stream, tensors, from);
    return tensorSource(*stream, tensors, from);
}

void Feeder::feed(Running& stream, Source source) {
    if (stream.file) output.remark("the rest of the file that fed it is not read\n");
    stream.file = std::move(source.file);
    if (source.items.empty()) return;
    stream.feed(reinterpret_cast<const std::byte*>(source.items.data()),
                source.items.size() / stream.inputSize());
}

Feeder::Source Feeder::itemSource(const Running& stream, const Line& line, const Input& input) {
    const Input from = part(input, line, *line.source);
    if (!stream.input()) output.fail(from, "this stream has no input");
    if (line.source->isEmpty())
        output.fail(from, "'<-' wants items: [1, 2, 3], a variable or \"file\"");
    if (!line.tokens[line.source->begin].is("[") && countItems(line, *line.source) > 1)
        output.fail(from, "a list of items is written in brackets: [1, 2, 3]");
    Source source;
    if (!isString(line, *line.source)) names.checkStructs(stream, stream.input(), from);
    if (isString(line, *line.source)) {
        const std::string name = fileIn(from);
        auto opened = io::openReader(name, formatOf(output, from, name), stream.input());
        if (!opened) output.fail(from, opened.error());
        source.file.emplace(name, std::move(*opened), stream.input());
    } else if (line.tokens[line.source->begin].is("[") &&
               line.tokens[line.source->end - 1].is("]")) {
        source.items = lists.listed(input, line, {line.source->begin + 1, line.source->end - 1},
                                    stream.input());
    } else {
        source.items = lists.ofValue(from, stream.input());
    }
    return source;
}

// ---------------------------------------------------------------- tensors

/// The value of an expression, also of a number or an array, as a tensor.
session::Held Feeder::tensorOf(const Input& expression) {
    return session::heldOf(*evaluator.valueOf(expression, "tensor"));
}

Feeder::Arriving Feeder::arriving(const Line& line, const Input& input) {
    Arriving made;
    const Input from = part(input, line, *line.source);
    const Span span = *line.source;
    if (span.isEmpty()) output.fail(from, "'<-' wants items: zeros(2, 3), a variable or \"file\"");
    if (isString(line, span)) {
        made.file = fileIn(from);
        return made;
    }
    const bool isList = line.tokens[span.begin].is("[") && line.tokens[span.end - 1].is("]");
    if (!isList && countItems(line, span) > 1)
        output.fail(from, "a list of items is written in brackets: [x, y]");
    if (!isList) {
        made.values.push_back(tensorOf(from));
        return made;
    }
    if (const auto mark = rangeMark(line, span)) {
        const Input first = part(input, line, {span.begin + 1, *mark});
        const Input last = part(input, line, {*mark + 1, span.end - 1});
        const types::TypeTable types;
        const std::string ints = lists.range(first, last, types.intType());
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

/// The shapes of the items that arrive, as --input has them.
std::vector<std::string> Feeder::shapesOf(const Running& stream, const Arriving& arriving,
                                          const Input& from) {
    types::TypeTable& types = *stream.work->program.program.types;
    const Type* declared = stream.input();
    std::vector<const Type*> wholes;
    if (!arriving.file.empty()) {
        const io::Format format = formatOf(output, from, arriving.file);
        if (!io::knowsTensors(format))
            output.fail(from, fmt::format("'{}' does not say what shape its tensors have; .npy, "
                                          ".safetensors and pictures do",
                                          arriving.file));
        auto found = io::typesIn({arriving.file, format}, declared, types);
        if (!found) output.fail(from, found.error());
        wholes = std::move(*found);
    }
    for (const session::Held& each : arriving.values) wholes.push_back(tensorType(each, types));
    if (wholes.empty()) output.fail(from, "there is no item here that would have a shape");
    std::vector<std::string> shapes;
    for (const Type* whole : wholes) {
        const Type* item = io::itemIn(whole, declared, types);
        if (!item)
            output.fail(from, fmt::format("{} arrives where {} is declared", types::toString(whole),
                                          types::toString(declared)));
        shapes.push_back(shapeText(item));
    }
    return shapes;
}

/// Compiles the stream for what arrives, with what it was made of.
void Feeder::shape(const std::shared_ptr<Running>& stream, const Arriving& arriving,
                   const Input& from) {
    std::vector<std::string> inputs = shapesOf(*stream, arriving, from);
    {
        const Formerly then(declarations, stream->uses);
        stream->shape(std::move(inputs));
    }
    std::vector<Message> messages = stream->messages();
    const bool hasErrors = stream->work->hasErrors();
    output.check(std::move(messages));
    if (hasErrors) throw Failed();
    output.stopIfInterrupted();
    streamMaker.begin(stream);
}

Feeder::Source Feeder::tensorSource(const Running& stream, const Arriving& arriving,
                                    const Input& from) {
    const graph::Edge& edge = stream.graph().edges[stream.graph().input];
    const Type* memory = graph::memoryOf(edge);
    Source source;
    if (!arriving.file.empty()) {
        const std::string& file = arriving.file;
        auto opened = io::openTensorReader({{file, formatOf(output, from, file)}},
                                           {edge.tensors, memory}, "the stream", {});
        if (!opened) output.fail(from, opened.error());
        source.file.emplace(file, std::move(*opened), memory);
        return source;
    }
    types::TypeTable& types = *stream.work->program.program.types;
    for (const session::Held& value : arriving.values) {
        const std::uint64_t next = stream.itemsFed() + source.items.size() / stream.inputSize();
        const auto items = toItems(value, edge.tensors, next, memory, types);
        if (!items)
            output.fail(
                from,
                fmt::format("{} arrives where the stream takes {}; made anew it takes other shapes",
                            types::toString(tensorType(value, types)),
                            types::toString(edge.tensors[next % edge.tensors.size()])));
        source.items += *items;
    }
    return source;
}

}  // namespace strc::repl
