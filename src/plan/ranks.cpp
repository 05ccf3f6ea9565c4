#include "plan/ranks.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "graph/flow.h"
#include "plan/detail/chunk.h"
#include "plan/marks.h"

namespace strc::plan {
namespace {

using graph::kNone;

/// Some operations of the estimate in a ns.
constexpr double kWorkInNanosecond = 10;

/// Segments from the first to the last.
struct Extent {
    std::uint32_t first = STRC_NO_SEGMENT, last = 0;

    bool isEmpty() const { return first == STRC_NO_SEGMENT; }
    void add(std::uint32_t segment) {
        first = std::min(first, segment);
        last = std::max(last, segment);
    }
};

class Finding {
public:
    explicit Finding(const Plan& plan)
        : plan(plan),
          chunk(*plan.chunk),
          graph(plan.program->graph),
          nodes(graph.nodes.size()),
          written(graph.edges.size()),
          read(graph.edges.size()) {}

    Ranks find() {
        made.slices = static_cast<std::uint32_t>(chunk.usual);
        made.inputs.assign(plan.inputs.size(), 0);
        made.outputs.assign(plan.outputs.size(), 0);
        for (std::uint32_t k = 0; k < chunk.segments.size(); ++k) {
            made.work.push_back(chunk.segments[k].work / kWorkInNanosecond);
            made.mayBegin.push_back(1);
            made.whyNot.push_back(nullptr);
            for (const Step& step : chunk.segments[k].steps) note(step, k);
        }
        findPorts(plan.inputs, made.inputs);
        findPorts(plan.outputs, made.outputs);
        for (const Extent& each : nodes)
            keepTogether(each, "a filter that fires in several places");
        keepCarried();
        keepFiles();
        for (EdgeId id = 0; id < graph.edges.size(); ++id)
            if (plan.channels[id].tape == id) addTape(id);
        return std::move(made);
    }

private:
    void note(const Step& step, std::uint32_t segment) {
        for (const Step& inner : step.body) note(inner, segment);
        switch (step.kind) {
            case StepKind::Fire:
                noteFiring(step.node, segment);
                for (EdgeId edge : plan.inputsOf(step.node)) read[tapeOf(edge)].add(segment);
                for (EdgeId edge : plan.outputsOf(step.node)) written[tapeOf(edge)].add(segment);
                break;
            case StepKind::Read:
                made.inputs[step.port] = segment;
                written[tapeOf(step.channel)].add(segment);
                break;
            case StepKind::Write:
                made.outputs[step.port] = segment;
                read[tapeOf(step.channel)].add(segment);
                break;
            case StepKind::Move:
                read[tapeOf(step.channel)].add(segment);
                written[tapeOf(step.channel)].add(segment);
                break;
            default: break;
        }
    }

    void noteFiring(NodeId id, std::uint32_t segment) {
        const std::uint8_t effects = graph.nodes[id].effects;
        nodes[id].add(segment);
        if (effects & graph::kPrints) printing.add(segment);
        if (effects & graph::kRandom) drawing.add(segment);
        if (effects & graph::kNative) native.add(segment);
    }

    EdgeId tapeOf(EdgeId edge) const { return plan.channels[edge].tape; }

    void findPorts(const std::vector<ProgramPort>& ports, std::vector<std::uint32_t>& segments) {
        for (std::size_t k = 0; k < ports.size(); ++k)
            if (ports[k].node != kNone && !nodes[ports[k].node].isEmpty())
                segments[k] = nodes[ports[k].node].first;
    }

    /// No rank begins behind the first of them and up to the last.
    void keepTogether(const Extent& each, const char* what) {
        if (each.isEmpty()) return;
        for (std::uint32_t k = each.first + 1; k <= each.last; ++k) forbid(k, what);
    }

    void forbid(std::size_t segment, const char* what) {
        made.mayBegin[segment] = 0;
        if (!made.whyNot[segment]) made.whyNot[segment] = what;
    }

    /// What is taken by one rank is given by it, but for items that the writer gives early: whoever reads them has them by then.
    void keepCarried() {
        for (const Carry& carry : chunk.carries) {
            if (carry.kind == CarryKind::Affine || carry.kind == CarryKind::Counter) continue;
            for (std::size_t k = carry.taken + 1; k < carry.given; ++k)
                forbid(k, "what they keep from one steady state to the next");
        }
        keepTogether(printing, "what they print, which has an order");
        keepTogether(drawing, "random numbers, which have an order");
        keepTogether(native, "calls of native functions, which have an order");
        made.prints = printing.first;
    }

    /// Filters that write one file have one writer.
    void keepFiles() {
        std::map<std::pair<std::string, std::uint32_t>, Extent> files;
        for (std::size_t k = 0; k < plan.outputs.size(); ++k) {
            if (plan.outputs[k].node == kNone) continue;
            const graph::Node& node = graph.nodes[plan.outputs[k].node];
            files[{node.file, node.fileParameter}].add(made.outputs[k]);
        }
        for (const auto& [file, segments] : files)
            keepTogether(segments, "what they write to one file, which has an order");
    }

    void addTape(EdgeId id) {
        const Channel& tape = plan.channels[id];
        if (written[id].isEmpty() || read[id].isEmpty()) return;
        if (hasStrings(graph.edges[id].type)) {
            Extent all = written[id];
            all.add(read[id].first);
            all.add(read[id].last);
            return keepTogether(all, "texts, which are addresses");
        }
        if (written[id].first >= read[id].last) return;
        strc_rank_tape row{};
        row.at = static_cast<std::uint64_t>(tape.offset);
        row.kept = static_cast<std::uint64_t>(tape.retained * tape.itemSize);
        row.room = static_cast<std::uint64_t>(tape.capacity * tape.itemSize);
        row.bytes = static_cast<std::uint64_t>(itemsOfSlice(id) * tape.itemSize);
        row.written = written[id].first;
        row.read = read[id].last;
        row.taken = STRC_NO_SEGMENT;
        for (const Carry& carry : chunk.carries)
            if (carry.kind == CarryKind::Items && carry.tape == id)
                row.taken = static_cast<std::uint32_t>(carry.taken);
        made.tapes.push_back(row);
        made.edges.push_back(id);
    }

    /// That come to the tape; nodes without steps count as if they fired.
    std::int64_t itemsOfSlice(EdgeId id) const {
        const graph::Edge& edge = graph.edges[id];
        if (edge.from == kNone) return chunk.reads.back();
        std::int64_t firings = 0;
        for (const Segment& segment : chunk.segments)
            for (const auto& [node, count] : firingsOf(segment.steps))
                if (node == edge.from) firings += count;
        if (firings != 0) return firings * pushRate(graph, id);
        return itemsThrough(id);
    }

    /// What the readers take of it.
    std::int64_t itemsThrough(EdgeId id) const {
        const NodeId to = graph.edges[id].to;
        for (const Segment& segment : chunk.segments)
            for (const auto& [node, count] : firingsOf(segment.steps))
                if (node == to) return count * popRate(graph, id);
        return plan.channels[id].capacity;
    }

    const Plan& plan;
    const Chunk& chunk;
    const graph::Graph& graph;
    Ranks made;
    std::vector<Extent> nodes;  ///< where they fire
    std::vector<Extent> written, read;  ///< by tape
    Extent printing, drawing, native;
};

bool hasTexts(const elab::Elaboration& program) {
    return std::any_of(program.kernels.begin(), program.kernels.end(), [](const auto& kernel) {
        return std::any_of(kernel.fieldTypes.begin(), kernel.fieldTypes.end(), hasStrings);
    });
}

std::ptrdiff_t countPrinting(const graph::Graph& graph) {
    return std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& node) {
        return (node.effects & graph::kPrints) != 0;
    });
}

bool callsNatives(const graph::Graph& graph) {
    return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& node) {
        return (node.effects & graph::kNative) != 0;
    });
}

bool sendsMessages(const Plan& plan) {
    return !plan.mailboxes.empty() || !plan.program->graph.messages.empty();
}

const char* whyNoChunk(const Plan& plan) {
    const graph::Graph& graph = plan.program->graph;
    if (plan.demand) return "what follows what is decided by the items, as rates are dynamic";
    if (plan.tapes == Tapes::Ring) return "with ring buffers firings have an order";
    if (plan.program->dynamicFilters) return "there are tensors whose shapes only the run knows";
    if (callsNatives(graph)) return "it calls native functions, which have an order";
    if (countPrinting(graph) > 1) return "several filters print, and what they print has an order";
    return "its steady states cannot be done several at a time";
}

}  // namespace

std::string whyNoRanks(const Plan& plan) {
    if (plan.before) return "it has become one filter";
    // Threads of one process hand on what waits in mailboxes; ranks do not.
    if (sendsMessages(plan)) return "it sends messages, which have an order";
    if (!plan.chunk) return whyNoChunk(plan);
    if (hasTexts(*plan.program)) return "its filters keep texts, which are addresses";
    const Ranks ranks = findRanks(plan);
    for (std::size_t k = 1; k < ranks.mayBegin.size(); ++k)
        if (ranks.mayBegin[k] != 0) return "";
    return ranks.work.size() < 2
               ? "there is nothing between which it could be cut: it is one filter or one feedback "
                 "loop"
               : "wherever it could be cut there is a feedback loop, or effects that have an order";
}

Ranks findRanks(const Plan& plan) { return Finding(plan).find(); }

strc_ranks viewOf(const Ranks& ranks, const Network& network) {
    strc_ranks view{};
    view.work = ranks.work.data();
    view.may_begin = ranks.mayBegin.data();
    view.tapes = ranks.tapes.data();
    view.inputs = ranks.inputs.data();
    view.outputs = ranks.outputs.data();
    view.latency = network.latency;
    view.pace = network.pace;
    view.tape_count = ranks.tapes.size();
    view.segments = static_cast<std::uint32_t>(ranks.work.size());
    view.slices = ranks.slices;
    view.prints = ranks.prints;
    return view;
}

std::vector<std::uint32_t> cut(const Ranks& ranks, const Network& network, unsigned count) {
    const strc_ranks view = viewOf(ranks, network);
    std::vector<std::uint32_t> first(std::size_t{count} + 1);
    const std::uint32_t parts = strc_cut(&view, count, first.data());
    first.resize(std::size_t{parts} + 1);
    return first;
}

}  // namespace strc::plan
