// :type, :rates, :schedule, :graph, :where, :peek.
#include <algorithm>

#include <fmt/format.h>

#include "graph/outline.h"
#include "graph/picture.h"
#include "io/subprocess.h"
#include "repl/detail/channel_text.h"
#include "repl/detail/commands.h"
#include "repl/detail/node_names.h"
#include "repl/detail/typed_files.h"
#include "sched/schedule.h"

namespace strc::repl {

using graph::EdgeId;
using graph::NodeId;

namespace {

/// The stream that the arguments describe, or the present one.
std::shared_ptr<Running> about(State& state, const Input& input, const Input& arguments) {
    if (arguments.text().empty()) {
        state.streams.present(input);
        return state.streams.current();
    }
    std::shared_ptr<Running> stream = state.streamMaker.described(arguments);
    state.streams.checkShaped(*stream, arguments);
    return stream;
}

}  // namespace

void typeCommand(State& state, const Input& input, const Input& arguments) {
    const std::string_view text = arguments.text();
    if (text.empty()) state.output.fail(input, "':type' wants an expression or a stream");
    const bool isWord = text.find_first_of(" (|<-") == text.npos;
    if (isWord && !state.declarations.variables.contains(text) && !state.streams.contains(text))
        if (const std::string head = state.names.headOf(text); !head.empty())
            return state.output.show(head + "\n");
    if (state.classifier.isStream(arguments))
        return state.output.show(state.streamMaker.described(arguments)->signature() + "\n");
    state.output.show(state.evaluator.typeOf(arguments) + "\n");
}

// ---------------------------------------------------------------- the graph

void ratesCommand(State& state, const Input& input, const Input& arguments) {
    const std::shared_ptr<Running> stream = about(state, input, arguments);
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
        Row row{nameOf(graph, id), {}, repetitions.init[id], repetitions.steady[id]};
        row.rates = node.kind == graph::NodeKind::Filter ? graph::ratesText(node.work)
                                                         : graph::weightsText(node, 8);
        if (node.prework) row.rates += " (first: " + graph::ratesText(*node.prework) + ")";
        name = std::max(name, row.name.size());
        rates = std::max(rates, row.rates.size());
        rows.push_back(std::move(row));
    }
    state.output.show(fmt::format("{:<{}}  {:<{}}  {:>6}  {:>6}\n", "filter", name, "rates", rates,
                                  "first", "then"));
    for (const Row& row : rows)
        state.output.show(fmt::format("{:<{}}  {:<{}}  {:>6}  {:>6}\n", row.name, name, row.rates,
                                      rates, row.init, row.steady));
}

namespace {

/// The filters of a static island, which stands between dynamic rates.
std::string islandText(const Running& stream, std::uint32_t island) {
    std::string names;
    for (NodeId id = 0; id < stream.graph().nodes.size(); ++id)
        if (stream.work->program.repetitions.island[id] == island)
            names += (names.empty() ? "" : ", ") + nameOf(stream.graph(), id);
    return names;
}

}  // namespace

void scheduleCommand(State& state, const Input& input, const Input& arguments) {
    const std::shared_ptr<Running> stream = about(state, input, arguments);
    session::Compilation& program = stream->work->program;
    const graph::Graph& graph = program.elaboration.graph;
    for (std::uint32_t island = 0; island < program.repetitions.islands; ++island) {
        auto made = sched::schedule(program.context, graph, program.repetitions,
                                    sched::Order::Buffers, island);
        state.output.check(stream->messages());
        if (!made) continue;
        if (program.repetitions.islands > 1) state.output.show(islandText(*stream, island) + ":\n");
        state.output.show(sched::print(graph, program.repetitions, *made));
    }
}

void graphCommand(State& state, const Input& input, const Input& given) {
    Input arguments = given;
    const std::string file = fileAfter(state.output, arguments);
    const std::shared_ptr<Running> stream = about(state, input, arguments);
    const graph::Annotations notes{&stream->work->program.repetitions, nullptr};
    if (file.empty()) return state.output.show(graph::toText(stream->graph(), notes));
    const std::string_view name = file;
    if (name.ends_with(".txt"))
        return writeFile(state.output, given, file, graph::toText(stream->graph(), notes));
    if (name.ends_with(".json"))
        return writeFile(state.output, given, file, graph::toJson(stream->graph(), notes));
    const std::string dot = graph::toDot(stream->graph(), notes);
    if (name.ends_with(".dot")) return writeFile(state.output, given, file, dot);
    const bool isPng = name.ends_with(".png");
    if (!isPng && !name.ends_with(".svg"))
        state.output.fail(given, "pictures of graphs end in .svg, .png, .dot, .json or .txt");
    auto drawn = io::runTool({"dot", isPng ? "-Tpng" : "-Tsvg"}, dot);
    if (!drawn)
        state.output.fail(given, drawn.error() + " (it belongs to Graphviz; .dot needs no tool)");
    writeFile(state.output, given, file, *drawn);
}

// ---------------------------------------------------------------- the run

void whereCommand(State& state, const Input& input, const Input&) {
    const Running& stream = state.streams.interpreted(input);
    interp::Live& live = *stream.live;
    const NodeId next = live.next();  // a steady state is over when the next one begins
    state.output.show(fmt::format("{}: {} firing{}, {} steady state{}\n", stream.source,
                                  live.steps(), live.steps() == 1 ? "" : "s", live.iterations(),
                                  live.iterations() == 1 ? "" : "s"));
    for (NodeId id = 0; id < stream.graph().nodes.size(); ++id)
        state.output.show(fmt::format("  {} {} × {}{}\n", id == next ? ">" : " ", live.firings(id),
                                      nameOf(stream.graph(), id),
                                      stream.breaks.contains(id) ? "  (stop)" : ""));
    for (EdgeId edge = 0; edge < stream.graph().edges.size(); ++edge) {
        state.output.show("  " + channelText(stream, edge, kMostItemsShown, true));
    }
}

void peekCommand(State& state, const Input& input, const Input& arguments) {
    const Running& stream = state.streams.interpreted(input);
    const bool isAll = arguments.text().empty();
    std::vector<EdgeId> edges;
    if (isAll)
        for (EdgeId edge = 0; edge < stream.graph().edges.size(); ++edge) edges.push_back(edge);
    else
        edges = channelsCalled(state, stream, arguments);
    for (EdgeId edge : edges)
        state.output.show(channelText(stream, edge, isAll ? kMostItemsShown : 1000));
}

}  // namespace strc::repl
