#include "repl/detail/results.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "io/tensors.h"
#include "repl/detail/typed_files.h"

namespace strc::repl {

using types::Type;

namespace {

/// One file, also by links.
bool isSameFile(const std::string& a, const std::string& b) {
    std::error_code failed;
    return std::filesystem::equivalent(a, b, failed) && !failed &&
           !std::filesystem::is_character_file(a, failed);
}

/// As a file has it: one item as it is, several along a dimension more.
Variable stackOf(const Items& items) {
    session::Held held = session::heldOf({items.type, items.bytes});
    if (items.count() != 1)
        held.dims.insert(held.dims.begin(), static_cast<std::int64_t>(items.count()));
    return {"tensor", std::move(held), {}};
}

}  // namespace

void Results::check(const Running& stream, const Line& line, const Input& input) {
    if (!line.sink) return;
    const Input to = part(input, line, *line.sink);
    if (!stream.output()) output.fail(to, "this stream has no output");
    if (!isString(line, *line.sink)) return names.checkStructs(stream, stream.output(), to);
    const std::string file = fileIn(to);
    auto refuse = [&](const std::string& other) {
        if (!other.empty() && isSameFile(file, other))
            output.fail(to,
                        fmt::format("'{}' is in use by this stream: another file is needed", file));
    };
    if (line.source && isString(line, *line.source))
        refuse(fileIn(part(input, line, *line.source)));
    if (!line.source && stream.file) refuse(stream.file->name());
    for (const graph::Node& node : stream.graph().nodes) refuse(node.file);
}

void Results::open(Sink& sink, const Input& input, const Line& line, const Running& stream,
                   io::StreamInfo info) {
    if (!line.sink) return;
    const Input to = part(input, line, *line.sink);
    if (isString(line, *line.sink)) return openFile(sink, to, stream, info);
    const bool isName = line.sink->end == line.sink->begin + 1 &&
                        line.tokens[line.sink->begin].kind == TokenKind::Word;
    if (!isName) output.fail(to, "a file name in quotes, or the name of a variable is needed here");
    names.check(to, to.text(), "variable");
    sink.variable = to.text();
}

void Results::openFile(Sink& sink, const Input& to, const Running& stream, io::StreamInfo info) {
    const std::string file = fileIn(to);
    io::StreamInfo wanted;
    wanted.sampleRate = info.sampleRate;
    wanted.channels = info.channels;
    wanted.width = info.width;
    const graph::Edge& edge = stream.graph().edges[stream.graph().output];
    const io::Format format = formatOf(output, to, file);
    auto opened =
        !graph::hasTensors(edge)
            ? io::openWriter(file, format, edge.type, wanted)
            : io::openTensorWriter({{file, format}}, {edge.tensors, graph::memoryOf(edge)}, wanted);
    if (!opened) output.fail(to, opened.error());
    sink.writer = std::move(*opened);
}

void Results::close(Sink& sink, const Input& input, const std::shared_ptr<Running>& stream) {
    if (sink.writer) return closeFile(sink, input);
    sink.end();
    items = std::move(sink.kept);
    itemsOf = stream;
    if (sink.variable.empty() && !sink.showsRows()) output.give(items);
    if (sink.failure) output.fail(input, sink.failure->text);
    if (!sink.variable.empty()) declare(sink, input, stream->output());
}

void Results::closeFile(Sink& sink, const Input& input) {
    base::Status closed = sink.writer->close();
    if (sink.failure) output.fail(input, sink.failure->text);
    if (!closed) output.fail(input, closed.error());
    items = {};
    output.confirm(fmt::format("{} item{} written\n", sink.count, sink.count == 1 ? "" : "s"));
}

/// The variable of the sink, with the items of the last run.
void Results::declare(const Sink& sink, const Input& input, const Type* item) {
    const std::uint64_t count = items.count();
    if (!items.areAlike())
        output.fail(
            input,
            "items of different shapes do not become one variable; a .safetensors file takes them");
    Variable made{
        arrayOf(item, count), {items.bytes, std::nullopt}, namesIn(types::toString(item))};
    if (count > 0 && items.type->is(types::TypeKind::Tensor)) made = stackOf(items);
    declarations.variables.insert_or_assign(sink.variable, std::move(made));
    output.confirm(fmt::format("{} = {} item{}\n", sink.variable, count, count == 1 ? "" : "s"));
}

void Results::show(Items given, const std::shared_ptr<Running>& stream) {
    items = std::move(given);
    itemsOf = stream;
    output.give(items);
}

}  // namespace strc::repl
