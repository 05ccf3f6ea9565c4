// :type, :rates, :schedule, :graph, :where, :peek.
#include <algorithm>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "graph/outline.h"
#include "graph/picture.h"
#include "io/subprocess.h"
#include "repl/commands.h"
#include "repl/tensor_items.h"
#include "repl/values.h"
#include "sched/schedule.h"
#include "types/builtin_streams.h"

namespace strc::repl {

using graph::EdgeId;
using graph::NodeId;

Running& State::present(const Input& input) {
    if (!current) fail(input, "there is no stream yet: 'take 5 Ramp()' makes one");
    checkShaped(*current, input);
    return *current;
}

void State::checkShaped(const Running& stream, const Input& input) {
    if (stream.isShapeless())
        fail(input, "this stream waits to see what shape arrives: '<- zeros(2, 3)' feeds it");
}

/// The stream that the arguments describe, or the present one.
std::shared_ptr<Running> State::about(const Input& input, const Input& arguments) {
    if (arguments.text().empty()) {
        present(input);
        return current;
    }
    std::shared_ptr<Running> stream = described(arguments);
    checkShaped(*stream, arguments);
    return stream;
}

namespace {

/// "float->float filter Scale(float factor)" of a text that declares it.
std::string headIn(std::string_view text, std::string_view name) {
    for (std::string_view word : {"filter ", "pipeline ", "splitjoin ", "feedbackloop "}) {
        const std::string wanted = std::string(word) + std::string(name);
        std::size_t at = text.find(wanted);
        while (at != text.npos) {
            const std::size_t after = at + wanted.size();
            const char next = after < text.size() ? text[after] : ' ';
            if (next == ' ' || next == '(' || next == '{' || next == '\n') {
                const std::size_t line = text.rfind('\n', at);
                const std::size_t begin = line == text.npos ? 0 : line + 1;
                const std::size_t end = std::min(text.find('{', after), text.size());
                std::string head(text.substr(begin, end - begin));
                while (!head.empty() && (head.back() == ' ' || head.back() == '\n'))
                    head.pop_back();
                return head;
            }
            at = text.find(wanted, after);
        }
    }
    return {};
}

}  // namespace

std::string State::headOf(std::string_view name) const {
    if (const Declaration* known = declarations.find(name)) return known->head;
    if (const session::LibraryFile* file = workbench.streams().fileDeclaring(name))
        return headIn(file->text, name);
    if (const auto builtin = types::findBuiltinStream(name);
        builtin != types::BuiltinStream::None) {
        const types::BuiltinStreamInfo& info = types::info(builtin);
        switch (info.role) {
            case types::BuiltinRole::Identity: return fmt::format("T->T filter {}<T>", name);
            case types::BuiltinRole::Reader: return fmt::format("void->T filter {}<T>(file)", name);
            case types::BuiltinRole::Writer: return fmt::format("T->void filter {}<T>(file)", name);
            case types::BuiltinRole::Display: return fmt::format("int->void filter {}", name);
        }
    }
    return {};
}

void State::typeCommand(const Input& input, const Input& arguments) {
    const std::string_view text = arguments.text();
    if (text.empty()) fail(input, "':type' wants an expression or a stream");
    const bool isWord = text.find_first_of(" (|<-") == text.npos;
    if (isWord && !declarations.variables.contains(text) && !instances.contains(text))
        if (const std::string head = headOf(text); !head.empty()) return show(head + "\n");
    if (isStream(arguments)) return show(described(arguments)->signature() + "\n");
    show(typeOf(arguments) + "\n");
}

// ---------------------------------------------------------------- the graph

void State::ratesCommand(const Input& input, const Input& arguments) {
    const std::shared_ptr<Running> stream = about(input, arguments);
    const graph::Graph& graph = stream->graph();
    const graph::Repetitions& repetitions = stream->work->program.repetitions;
    struct Row {
        std::string name, rates;
        std::int64_t init, steady;
    };
    std::vector<Row> rows;
    std::size_t name = 6;
    std::size_t rates = 5;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        Row row{stream->nameOf(id), {}, repetitions.init[id], repetitions.steady[id]};
        row.rates = node.kind == graph::NodeKind::Filter ? graph::ratesText(node.work)
                                                         : graph::weightsText(node, 8);
        if (node.prework) row.rates += " (first: " + graph::ratesText(*node.prework) + ")";
        name = std::max(name, row.name.size());
        rates = std::max(rates, row.rates.size());
        rows.push_back(std::move(row));
    }
    show(fmt::format("{:<{}}  {:<{}}  {:>6}  {:>6}\n", "filter", name, "rates", rates, "first",
                     "then"));
    for (const Row& row : rows)
        show(fmt::format("{:<{}}  {:<{}}  {:>6}  {:>6}\n", row.name, name, row.rates, rates,
                         row.init, row.steady));
}

namespace {

/// The filters of a static island, which stands between dynamic rates.
std::string islandText(const Running& stream, std::uint32_t island) {
    std::string names;
    for (NodeId id = 0; id < stream.graph().nodes.size(); ++id)
        if (stream.work->program.repetitions.island[id] == island)
            names += (names.empty() ? "" : ", ") + stream.nameOf(id);
    return names;
}

}  // namespace

void State::scheduleCommand(const Input& input, const Input& arguments) {
    const std::shared_ptr<Running> stream = about(input, arguments);
    session::Compilation& program = stream->work->program;
    const graph::Graph& graph = program.elaboration.graph;
    for (std::uint32_t island = 0; island < program.repetitions.islands; ++island) {
        auto made = sched::schedule(program.context, graph, program.repetitions,
                                    sched::Order::Buffers, island);
        check(stream->messages());
        if (!made) continue;
        if (program.repetitions.islands > 1) show(islandText(*stream, island) + ":\n");
        show(sched::print(graph, program.repetitions, *made));
    }
}

/// `… > FILE`: the file, and the arguments without it.
std::string State::fileAfter(Input& arguments) {
    const std::size_t at = arguments.text().rfind('>');
    const bool isFile =
        at != std::string_view::npos &&
        (at == 0 || (arguments.text()[at - 1] != '-' && arguments.text()[at - 1] == ' '));
    if (!isFile) return {};
    const std::size_t begin = arguments.begin + at;
    const Input file = partOf(arguments, begin + 1, arguments.end);
    if (file.text().empty()) fail(arguments, "the name of a file is missing behind '>'");
    arguments = partOf(arguments, arguments.begin, begin);
    return plainText(file);
}

void State::writeFile(const Input& input, const std::string& file, std::string_view text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) fail(input, fmt::format("cannot write '{}': {}", file, std::strerror(errno)));
    confirm(fmt::format("written to {}\n", file));
}

void State::graphCommand(const Input& input, const Input& given) {
    Input arguments = given;
    const std::string file = fileAfter(arguments);
    const std::shared_ptr<Running> stream = about(input, arguments);
    const graph::Annotations notes{&stream->work->program.repetitions, nullptr};
    if (file.empty()) return show(graph::toText(stream->graph(), notes));
    const std::string_view name = file;
    if (name.ends_with(".txt"))
        return writeFile(given, file, graph::toText(stream->graph(), notes));
    if (name.ends_with(".json"))
        return writeFile(given, file, graph::toJson(stream->graph(), notes));
    const std::string dot = graph::toDot(stream->graph(), notes);
    if (name.ends_with(".dot")) return writeFile(given, file, dot);
    const bool isPng = name.ends_with(".png");
    if (!isPng && !name.ends_with(".svg"))
        fail(given, "pictures of graphs end in .svg, .png, .dot, .json or .txt");
    auto drawn = io::runTool({"dot", isPng ? "-Tpng" : "-Tsvg"}, dot);
    if (!drawn) fail(given, drawn.error() + " (it belongs to Graphviz; .dot needs no tool)");
    writeFile(given, file, *drawn);
}

// ---------------------------------------------------------------- the run

namespace {

constexpr std::uint64_t kMostItemsShown = 16;  ///< items of a channel in a list of channels

}  // namespace

/// Shows the items of a channel; of many the first and the last.
void State::showChannel(const Running& stream, EdgeId edge, std::uint64_t most, bool isCounted) {
    const std::uint64_t size = stream.live->size(edge);
    const bool isWhole = size <= most;
    std::string line;
    const std::vector<const types::Type*>& tensors = stream.tensors(edge);
    auto inOneLine = [&](const types::Value& item) {
        const bool isTensor = item.type->is(types::TypeKind::Tensor);
        if (!isTensor && tensors.size() != 1) return toText(item);
        std::string text = toText(isTensor ? item : fromItem(item, tensors[0]));
        std::erase(text, '\n');
        return text;
    };
    auto add = [&](std::uint64_t first, std::uint64_t count) {
        for (const types::Value& each : stream.live->items(edge, count, first))
            line += (line.empty() ? "" : ", ") + inOneLine(each);
    };
    add(0, isWhole ? size : most / 2);
    if (!isWhole) {
        line += fmt::format(", … {} more", size - most / 2 * 2);
        add(size - most / 2, most / 2);
    }
    const std::string count = !isCounted || size == 0
                                  ? std::string()
                                  : fmt::format("  ({} item{})", size, size == 1 ? "" : "s");
    show(fmt::format("{}: [{}]{}\n", stream.nameOfEdge(edge), line, count));
}

void State::showChange(const Running& stream, EdgeId edge) {
    show(fmt::format("{} fired; ", stream.nameOf(stream.live->last())));
    showChannel(stream, edge, kMostItemsShown);
}

void State::whereCommand(const Input& input, const Input&) {
    const Running& stream = interpreted(input);
    interp::Live& live = *stream.live;
    const NodeId next = live.next();  // a steady state is over when the next one begins
    show(fmt::format("{}: {} firing{}, {} steady state{}\n", stream.source, live.steps(),
                     live.steps() == 1 ? "" : "s", live.iterations(),
                     live.iterations() == 1 ? "" : "s"));
    for (NodeId id = 0; id < stream.graph().nodes.size(); ++id)
        show(fmt::format("  {} {} × {}{}\n", id == next ? ">" : " ", live.firings(id),
                         stream.nameOf(id), stream.breaks.contains(id) ? "  (stop)" : ""));
    for (EdgeId edge = 0; edge < stream.graph().edges.size(); ++edge) {
        show("  ");
        showChannel(stream, edge, kMostItemsShown, true);
    }
}

void State::peekCommand(const Input& input, const Input& arguments) {
    const Running& stream = interpreted(input);
    const bool isAll = arguments.text().empty();
    std::vector<EdgeId> edges;
    if (isAll)
        for (EdgeId edge = 0; edge < stream.graph().edges.size(); ++edge) edges.push_back(edge);
    else
        edges = channels(stream, arguments);
    for (EdgeId edge : edges) showChannel(stream, edge, isAll ? kMostItemsShown : 1000);
}

std::vector<EdgeId> State::channels(const Running& stream, const Input& name) {
    std::vector<EdgeId> edges = stream.edges(name.text());
    if (edges.empty())
        fail(name, fmt::format("there is no channel '{}'; ':peek' lists them", name.text()));
    return edges;
}

Running& State::interpreted(const Input& input) {
    Running& stream = present(input);
    if (!stream.live)
        fail(input,
             "this stream runs as machine code; ':engine interpret' makes streams that can be "
             "looked into");
    return stream;
}

}  // namespace strc::repl
