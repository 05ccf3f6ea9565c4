// Destinations of items, which stand behind `->`: files and variables.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "io/tensors.h"
#include "repl/sink.h"
#include "repl/state.h"
#include "repl/values.h"

namespace strc::repl {

using types::Type;

io::Format State::formatOf(const Input& input, const std::string& file) {
    if (std::optional<io::Format> format = io::formatOf(file)) return *format;
    fail(input, fmt::format("the name '{}' does not say what format the file has", file));
}

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

/// A file that is read, or that filters write, would be emptied; a variable has a type of today.
void State::checkSink(const Running& stream, const Line& line, const Input& input) {
    if (!line.sink) return;
    const Input to = part(input, line, *line.sink);
    if (!stream.output()) fail(to, "this stream has no output");
    if (!isString(line, *line.sink)) return checkType(stream, stream.output(), to);
    const std::string file = fileIn(to);
    auto refuse = [&](const std::string& other) {
        if (!other.empty() && isSameFile(file, other))
            fail(to, fmt::format("'{}' is in use by this stream: another file is needed", file));
    };
    if (line.source && isString(line, *line.source))
        refuse(fileIn(part(input, line, *line.source)));
    if (!line.source && stream.file) refuse(stream.file->name());
    for (const graph::Node& node : stream.graph().nodes) refuse(node.file);
}

void State::openSink(Sink& sink, const Input& input, const Line& line, const Running& stream,
                     io::StreamInfo info) {
    if (!line.sink) return;
    const Input to = part(input, line, *line.sink);
    if (isString(line, *line.sink)) {
        const std::string file = fileIn(to);
        io::StreamInfo wanted;
        wanted.sampleRate = info.sampleRate;
        wanted.channels = info.channels;
        wanted.width = info.width;
        const graph::Edge& edge = stream.graph().edges[stream.graph().output];
        const io::Format format = formatOf(to, file);
        auto opened = !graph::hasTensors(edge)
                          ? io::openWriter(file, format, edge.type, wanted)
                          : io::openTensorWriter({{file, format}},
                                                 {edge.tensors, graph::memoryOf(edge)}, wanted);
        if (!opened) fail(to, opened.error());
        sink.writer = std::move(*opened);
        return;
    }
    const bool isName = line.sink->end == line.sink->begin + 1 &&
                        line.tokens[line.sink->begin].kind == TokenKind::Word;
    if (!isName) fail(to, "a file name in quotes, or the name of a variable is needed here");
    checkName(to, to.text(), "variable");
    sink.variable = to.text();
}

void State::closeSink(Sink& sink, const Input& input, const Type* item) {
    if (sink.writer) {
        base::Status closed = sink.writer->close();
        if (sink.failure) fail(input, sink.failure->text);
        if (!closed) fail(input, closed.error());
        results = {};
        confirm(fmt::format("{} item{} written\n", sink.count, sink.count == 1 ? "" : "s"));
        return;
    }
    sink.end();
    results = std::move(sink.kept);
    resultsOf = current;
    if (sink.variable.empty() && !sink.showsRows()) giveAll();
    if (sink.failure) fail(input, sink.failure->text);
    if (sink.variable.empty()) return;
    const std::uint64_t count = results.count();
    if (!results.areAlike())
        fail(
            input,
            "items of different shapes do not become one variable; a .safetensors file takes them");
    Variable made{
        arrayOf(item, count), {results.bytes, std::nullopt}, namesIn(types::toString(item))};
    if (count > 0 && results.type->is(types::TypeKind::Tensor)) made = stackOf(results);
    declarations.variables.insert_or_assign(sink.variable, std::move(made));
    confirm(fmt::format("{} = {} item{}\n", sink.variable, count, count == 1 ? "" : "s"));
}

}  // namespace strc::repl
