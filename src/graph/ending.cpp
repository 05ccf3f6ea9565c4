#include "graph/ending.h"

#include <algorithm>

#include "graph/flow.h"

namespace strc::graph {
namespace {

std::vector<NodeId> inOrder(const Graph& graph) {
    std::vector<NodeId> nodes(graph.nodes.size());
    for (NodeId id = 0; id < nodes.size(); ++id) nodes[graph.nodes[id].order] = id;
    return nodes;
}

/// Does it lead back to the joiner of a feedback loop?
bool leadsBack(const Graph& graph, const Edge& edge) {
    return edge.from != kNone && edge.to != kNone &&
           graph.nodes[edge.from].order >= graph.nodes[edge.to].order;
}

/// Is it on the way back of a feedback loop: from its splitter to its joiner?
bool goesRound(const Graph& graph, const Edge& edge) {
    if (leadsBack(graph, edge)) return true;
    if (edge.to == kNone) return false;
    Child part{false, edge.to};
    for (CompositeId id = graph.nodes[edge.to].parent; id != kNone;) {
        const Composite& composite = graph.composites[id];
        if (composite.kind == CompositeKind::FeedbackLoop && composite.children.size() == 2 &&
            composite.children[1].isComposite == part.isComposite &&
            composite.children[1].id == part.id)
            return true;
        part = {true, id};
        id = composite.parent;
    }
    return false;
}

bool isReader(const Node& node) { return node.inputs.empty() && !node.file.empty(); }

/// Firings that take at least one of the first `items` items; the open input has no Flow.
std::int64_t firingsFor(const Graph& graph, EdgeId edge, std::int64_t items) {
    const bool hasFirst = graph.nodes[graph.edges[edge].to].prework.has_value();
    const std::int64_t first = hasFirst ? popRate(graph, edge, true) : 0,
                       then = popRate(graph, edge);
    if (items <= 0) return 0;
    if (hasFirst && items <= first) return 1;
    if (then == 0) return hasFirst ? 1 : 0;
    return (hasFirst ? 1 : 0) + (items - first - 1) / then + 1;
}

/// Items of an open input, from the first on, that so many firings of its reader look at.
std::int64_t itemsNeeded(const Graph& graph, EdgeId input, std::int64_t firings) {
    if (firings <= 0) return 0;
    const bool hasFirst = graph.nodes[graph.edges[input].to].prework.has_value();
    const std::int64_t pop = popRate(graph, input), look = std::max(pop, peekRate(graph, input));
    const std::int64_t pops = hasFirst ? popRate(graph, input, true) : pop;
    const std::int64_t looks = hasFirst ? std::max(pops, peekRate(graph, input, true)) : look;
    if (firings == 1) return looks;
    const std::int64_t last = addCounts(pops, multiplyCounts(firings - 2, pop));
    return std::max(looks, addCounts(last, look));
}

/// Items that so many firings of its source have put on an open output.
std::int64_t itemsGiven(const Graph& graph, EdgeId output, std::int64_t firings) {
    if (firings <= 0) return 0;
    const bool hasFirst = graph.nodes[graph.edges[output].from].prework.has_value();
    const std::int64_t push = pushRate(graph, output);
    const std::int64_t first = hasFirst ? pushRate(graph, output, true) : push;
    return addCounts(first, multiplyCounts(firings - 1, push));
}

/// Items of the open input that are read before the first steady state, with those that its window keeps.
std::int64_t readsBefore(const Graph& graph, const Repetitions& repetitions) {
    const std::int64_t firings = repetitions.init[graph.edges[graph.input].to];
    const std::int64_t pop = popRate(graph, graph.input);
    const std::int64_t extra = std::max<std::int64_t>(peekRate(graph, graph.input) - pop, 0);
    if (firings == 0) return extra;
    const std::int64_t taken =
        addCounts(popRate(graph, graph.input, true), multiplyCounts(firings - 1, pop));
    const std::int64_t looked = firings == 1 ? peekRate(graph, graph.input, true) : 0;
    return std::max(addCounts(taken, extra), looked);
}

strc_ending_flow rowOf(const Flow& flow) {
    strc_ending_flow row{};
    row.from = flow.from;
    row.to = flow.to;
    row.initial = flow.initial;
    row.push_first = flow.push.first;
    row.push = flow.push.then;
    row.pop_first = flow.pop.first;
    row.pop = flow.pop.then;
    row.look_first = flow.look.first;
    row.look = flow.look.then;
    row.from_has_first = flow.fromHasFirst ? 1 : 0;
    row.to_has_first = flow.toHasFirst ? 1 : 0;
    return row;
}

/// The world as a node that gives or takes an item a firing.
strc_ending_flow openRow(const Graph& graph, EdgeId id, NodeId world) {
    const bool isInput = id == graph.input;
    const NodeId inside = isInput ? graph.edges[id].to : graph.edges[id].from;
    Flow flow;
    flow.from = isInput ? world : inside;
    flow.to = isInput ? inside : world;
    flow.edge = id;
    const bool hasFirst = graph.nodes[inside].prework.has_value();
    if (isInput) {
        flow.toHasFirst = hasFirst;
        flow.push.then = 1;
        flow.pop = {popRate(graph, id, true), popRate(graph, id)};
        flow.look = {std::max(peekRate(graph, id, true), flow.pop.first),
                     std::max(peekRate(graph, id), flow.pop.then)};
    } else {
        flow.fromHasFirst = hasFirst;
        flow.push = {pushRate(graph, id, true), pushRate(graph, id)};
        flow.pop.then = flow.look.then = 1;
    }
    strc_ending_flow row = rowOf(flow);
    row.is_open = 1;
    return row;
}

}  // namespace

std::vector<bool> dependOnInput(const Graph& graph) {
    std::vector<bool> depends(graph.nodes.size());
    for (NodeId id : inOrder(graph)) {
        const Node& node = graph.nodes[id];
        depends[id] =
            isReader(node) || std::any_of(node.inputs.begin(), node.inputs.end(), [&](EdgeId edge) {
                const NodeId from = graph.edges[edge].from;
                return from == kNone || depends[from];
            });
    }
    return depends;
}

Ending::Ending(const Graph& graph, const Repetitions* repetitions) {
    const std::vector<bool> depends = dependOnInput(graph);
    std::uint32_t reader = 0;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        const Node& node = graph.nodes[id];
        const bool isEnd = node.outputs.empty() || node.effects != kNoEffect;
        strc_ending_node row{0, 0, STRC_NOBODY, STRC_NOBODY, isEnd && depends[id] ? 1u : 0u, 1};
        if (isReader(node)) row.input = reader++;
        if (repetitions) {
            row.init = repetitions->init[id];
            row.steady = repetitions->steady[id];
        }
        nodes.push_back(row);
    }
    for (NodeId id : inOrder(graph)) {
        for (EdgeId edge : graph.nodes[id].outputs) {
            if (graph.edges[edge].to == kNone) continue;
            flows.push_back(rowOf(flowOf(graph, edge)));
            flows.back().leads_back = goesRound(graph, graph.edges[edge]) ? 1 : 0;
        }
    }
    if (graph.input != kNone) {
        input = static_cast<NodeId>(nodes.size());
        nodes.push_back({0, 0, STRC_NOBODY, reader, 0, 0});
        flows.insert(flows.begin(), openRow(graph, graph.input, input));
        if (repetitions) {
            nodes.back().init = readsBefore(graph, *repetitions);
            nodes.back().steady = steadyReads(graph, *repetitions, kNone);
        }
    }
    if (graph.output != kNone) {
        output = static_cast<NodeId>(nodes.size());
        const NodeId from = graph.edges[graph.output].from;
        nodes.push_back({0, 0, STRC_NOBODY, STRC_NOBODY, depends[from] ? 1u : 0u, 0});
        flows.push_back(openRow(graph, graph.output, output));
        if (repetitions) {
            nodes.back().init = itemsGiven(graph, graph.output, repetitions->init[from]);
            nodes.back().steady =
                multiplyCounts(repetitions->steady[from], pushRate(graph, graph.output));
        }
    }
    if (repetitions) states = statesToFlush(graph, *repetitions) + 1;
}

strc_ending Ending::table() const {
    strc_ending made{};
    made.nodes = nodes.data();
    made.flows = flows.data();
    made.node_count = static_cast<std::uint32_t>(nodes.size());
    made.flow_count = static_cast<std::uint32_t>(flows.size());
    made.states = states;
    return made;
}

Waiting itemsWaiting(const Graph& graph, const std::vector<std::int64_t>& fired) {
    const Ending ending(graph);
    std::vector<std::int64_t> counts = fired;
    counts.resize(ending.nodes.size());
    const strc_ending table = ending.table();
    const strc_waiting waiting = strc_ending_waiting(&table, counts.data());
    return {waiting.items, waiting.most};
}

std::optional<std::int64_t> itemsKept(const Graph& graph, EdgeId id) {
    const Edge& edge = graph.edges[id];
    if (edge.to == kNone || goesRound(graph, edge)) return std::nullopt;
    const Rates& rates = graph.nodes[edge.to].work;
    if (graph.nodes[edge.to].kind != NodeKind::Filter || rates.pop.dynamic || rates.peek.dynamic)
        return 0;
    return std::max(rates.peek.max, rates.pop.max) - rates.pop.max;
}

std::int64_t steadyReads(const Graph& graph, const Repetitions& repetitions, NodeId source) {
    if (source != kNone) return repetitions.steady[source];
    return multiplyCounts(repetitions.steady[graph.edges[graph.input].to],
                          popRate(graph, graph.input));
}

/// After initialisation and one steady state: later it is the same.
std::int64_t statesToFlush(const Graph& graph, const Repetitions& repetitions) {
    std::vector<std::int64_t> real(graph.nodes.size());  // firings that depend on an item
    std::int64_t states = 0;
    for (NodeId id : inOrder(graph)) {
        const Node& node = graph.nodes[id];
        const std::int64_t done = addCounts(repetitions.init[id], repetitions.steady[id]);
        if (isReader(node)) real[id] = done;
        for (EdgeId edge : node.inputs) {
            std::int64_t items = 0;
            if (graph.edges[edge].from == kNone)
                items = itemsNeeded(graph, edge, done);
            else if (!leadsBack(graph, graph.edges[edge])) {
                const Flow flow = flowOf(graph, edge);
                if (real[flow.from] > 0)
                    items = addCounts(flow.initial, flow.produced(real[flow.from]));
            }
            real[id] = std::max(real[id], firingsFor(graph, edge, items));
        }
        if (repetitions.steady[id] > 0 && real[id] > done)
            states = std::max(states, (real[id] - done - 1) / repetitions.steady[id] + 1);
    }
    return states;
}

std::vector<std::int64_t> firingsToDrain(const Ending& ending,
                                         const std::vector<std::int64_t>& fired,
                                         std::vector<std::int64_t> most) {
    std::vector<std::int64_t> wanted(fired.size());
    const strc_ending table = ending.table();
    strc_ending_find(&table, fired.data(), most.data(), wanted.data());
    return wanted;
}

/// More items at an input are never fewer firings: those that are just too few tell.
bool mayDrain(const Ending& ending) {
    auto isLeft = [&](std::size_t ended, std::int64_t states) {
        std::vector<std::int64_t> fired, most;
        for (const strc_ending_node& node : ending.nodes) {
            auto after = [&](std::int64_t count) {
                return addCounts(node.init, multiplyCounts(node.steady, count));
            };
            fired.push_back(states < 0 ? 0 : after(states));
            most.push_back(after(std::max<std::int64_t>(states, 0) + ending.states));
        }
        most[ended] =
            (states < 0 ? ending.nodes[ended].init : fired[ended] + ending.nodes[ended].steady) - 1;
        if (most[ended] < 0) return false;  // it cannot end there
        return firingsToDrain(ending, fired, most) != fired;
    };
    for (std::size_t k = 0; k < ending.nodes.size(); ++k)
        if (ending.nodes[k].input != STRC_NOBODY)
            for (std::int64_t states : {-1, 0, 1})
                if (isLeft(k, states)) return true;
    return false;
}

}  // namespace strc::graph
