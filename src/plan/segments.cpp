#include "plan/segments.h"

#include <algorithm>

#include <fmt/format.h>

#include "graph/flow.h"
#include "graph/hierarchy.h"
#include "plan/detail/names.h"
#include "plan/marks.h"
#include "plan/ranks.h"

namespace strc::plan {
namespace {

using graph::kNone;
using graph::Segmentation;

std::vector<std::int64_t> firingsOfChunk(const Plan& plan) {
    std::vector<std::int64_t> counts(plan.program->graph.nodes.size());
    for (const Segment& segment : plan.chunk->segments)
        for (const auto& [node, firings] : firingsOf(segment.steps))
            counts[node] += plan.chunk->usual * firings;
    return counts;
}

std::vector<std::int64_t> firingsOfCall(const Plan& plan) {
    std::vector<std::int64_t> counts(plan.program->graph.nodes.size());
    for (const Partition& partition : plan.partitioning->partitions)
        for (const auto& [node, firings] : firingsOf(partition.steps))
            counts[node] += partition.slices * firings;
    return counts;
}

bool hasNoSteps(const Plan& plan, NodeId id) { return id < plan.gone.size() && plan.gone[id]; }

/// Nodes without steps belong to whoever gives them their items.
void joinGone(const Plan& plan, std::vector<std::uint32_t>& segmentOf) {
    const graph::Graph& graph = plan.program->graph;
    for (bool again = true; again;) {
        again = false;
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            if (!hasNoSteps(plan, id) || segmentOf[id] != Segmentation::kNoSegment) continue;
            for (EdgeId edge : graph.nodes[id].inputs) {
                const NodeId from = graph.edges[edge].from;
                if (from == kNone || segmentOf[from] == Segmentation::kNoSegment) continue;
                segmentOf[id] = segmentOf[from];
                again = true;
                break;
            }
        }
    }
}

/// By edge: that cross it when nodes fire so often.
std::vector<std::int64_t> itemsOf(const Plan& plan, const std::vector<std::int64_t>& firings) {
    const graph::Graph& graph = plan.program->graph;
    std::vector<std::int64_t> items;
    for (EdgeId id = 0; id < graph.edges.size(); ++id) {
        const graph::Edge& edge = graph.edges[id];
        const bool isGiven = edge.from != kNone && !hasNoSteps(plan, edge.from);
        items.push_back(isGiven            ? firings[edge.from] * graph::pushRate(graph, id)
                        : edge.to != kNone ? firings[edge.to] * graph::popRate(graph, id)
                                           : 0);
    }
    return items;
}

class SegmentPrinter {
public:
    SegmentPrinter(const Plan& plan, const Segmentation& segmentation)
        : plan(plan),
          graph(plan.program->graph),
          segmentation(segmentation),
          names(graph::allPaths(graph).nodes),
          firings(segmentation.isOfCalls() ? firingsOfCall(plan) : firingsOfChunk(plan)) {}

    std::string printCall() {
        const Partitioning& all = *plan.partitioning;
        out = fmt::format(
            "calls of {} steady states and more, {} of them at a time: by the "
            "estimate {:.1f} times as fast as one thread\n",
            segmentation.states, segmentation.states, all.work / all.span);
        for (std::size_t k = 0; k < segmentation.segments.size(); ++k) {
            const Partition& each = all.partitions[k];
            out += fmt::format("partition {}: {:.1f}% of the work, thread {}{}\n", k,
                               100 * segmentation.segments[k], each.home,
                               each.slices == 1 ? ""
                               : each.isInOrder
                                   ? fmt::format(", {} slices in order", each.slices)
                                   : fmt::format(", {} slices in any order", each.slices));
            printFirings(k);
        }
        printCrossing();
        return std::move(out);
    }

    std::string print() {
        out = fmt::format("chunk of {} steady states, {:.0f}% of its work in order\n",
                          segmentation.states, 100 * segmentation.ordered);
        for (std::size_t k = 0; k < segmentation.segments.size(); ++k) printSegment(k);
        printCarried("behind the last segment", segmentation.segments.size(), false);
        printCrossing();
        return std::move(out);
    }

private:
    void printSegment(std::size_t segment) {
        printCarried("", segment, true);
        out += fmt::format("segment {}: {:.1f}% of the work\n", segment,
                           100 * segmentation.segments[segment]);
        printFirings(segment);
    }

    void printFirings(std::size_t segment) {
        std::size_t width = 0;
        for (NodeId id = 0; id < names.size(); ++id)
            if (segmentation.segmentOf[id] == segment) width = std::max(width, names[id].size());
        for (NodeId id = 0; id < names.size(); ++id)
            if (segmentation.segmentOf[id] == segment)
                out += fmt::format("  {:<{}}  {:>10} firings  {:>5.1f}%\n", names[id], width,
                                   firings[id], 100 * segmentation.work[id]);
    }

    /// What is taken before that segment, and given there.
    void printCarried(const char* title, std::size_t at, bool isTaking) {
        if (*title != '\0' && std::any_of(segmentation.carried.begin(), segmentation.carried.end(),
                                          [&](const auto& each) { return each.given == at; }))
            out += fmt::format("{}\n", title);
        for (const Segmentation::Carried& each : segmentation.carried)
            if (isTaking && each.taken == at) out += "  take " + textOf(each) + '\n';
        for (const Segmentation::Carried& each : segmentation.carried)
            if (each.given == at) out += "  give " + textOf(each) + '\n';
    }

    std::string textOf(const Segmentation::Carried& each) const {
        if (each.edge != kNone)
            return fmt::format("{} bytes of {}", each.bytes, edgeName(graph, each.edge));
        const std::string who = each.node == kNone ? "an open end" : names[each.node];
        return each.bytes == 0 ? "the turn of " + who
                               : fmt::format("{} bytes of {}", each.bytes, who);
    }

    void printCrossing() {
        const std::vector<std::uint32_t>& segmentOf = segmentation.segmentOf;
        const char* kind = segmentation.isOfCalls() ? "partition" : "segment";
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            const graph::Edge& edge = graph.edges[id];
            if (!segmentation.crosses(edge)) continue;
            out += fmt::format("from {} {} to {}: {} items, {} bytes of {}\n", kind,
                               segmentOf[edge.from], segmentOf[edge.to], segmentation.items[id],
                               segmentation.items[id] * plan.channels[id].itemSize,
                               edgeName(graph, id));
        }
        for (const graph::MessageLink& link : graph.messages)
            if (segmentOf[link.sender] != segmentOf[link.receiver])
                out +=
                    fmt::format("from {} {} to {}: messages to {}\n", kind, segmentOf[link.sender],
                                segmentOf[link.receiver], names[link.receiver]);
    }

    const Plan& plan;
    const graph::Graph& graph;
    const Segmentation& segmentation;
    std::vector<std::string> names;
    std::vector<std::int64_t> firings;
    std::string out;
};

}  // namespace

std::optional<Segmentation> segmentationOf(const Plan& plan) {
    if (!plan.chunk) return std::nullopt;
    const graph::Graph& graph = plan.program->graph;
    const Chunk& chunk = *plan.chunk;
    Segmentation made;
    made.states = chunk.usual * chunk.iterations;
    made.ordered = chunk.ordered / chunk.work;
    made.segmentOf.assign(graph.nodes.size(), Segmentation::kNoSegment);
    for (std::size_t k = 0; k < chunk.segments.size(); ++k) {
        made.segments.push_back(chunk.segments[k].work / chunk.work);
        for (const auto& [node, firings] : firingsOf(chunk.segments[k].steps))
            made.segmentOf[node] = static_cast<std::uint32_t>(k);
    }
    joinGone(plan, made.segmentOf);
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        const bool fires = made.segmentOf[id] != Segmentation::kNoSegment;
        made.work.push_back(fires && !hasNoSteps(plan, id) ? chunk.nodeWork[id] / chunk.work : 0);
    }
    made.items = itemsOf(plan, firingsOfChunk(plan));
    for (const Carry& carry : chunk.carries)
        made.carried.push_back({carry.node, carry.tape,
                                carry.kind == CarryKind::Order ? 0 : carry.size, carry.taken,
                                carry.given});
    return made;
}

std::optional<Segmentation> partitionsOf(const Plan& plan) {
    if (!plan.partitioning) return std::nullopt;
    const graph::Graph& graph = plan.program->graph;
    const Partitioning& all = *plan.partitioning;
    Segmentation made;
    made.states = all.iterations;
    made.segmentOf.assign(graph.nodes.size(), Segmentation::kNoSegment);
    for (std::size_t k = 0; k < all.partitions.size(); ++k) {
        made.segments.push_back(all.partitions[k].work / all.work);
        made.homes.push_back(all.partitions[k].home);
        for (const auto& [node, firings] : firingsOf(all.partitions[k].steps))
            made.segmentOf[node] = static_cast<std::uint32_t>(k);
    }
    for (const double work : all.nodeWork) made.work.push_back(work / all.work);
    joinGone(plan, made.segmentOf);
    made.items = itemsOf(plan, firingsOfCall(plan));
    return made;
}

std::string printPartitions(const Plan& plan, const Segmentation& segmentation) {
    return SegmentPrinter(plan, segmentation).printCall();
}

Segmentation segmentationOf(const Plan& plan, const Ranks& ranks, const Network& network,
                            unsigned count) {
    Segmentation made = *segmentationOf(plan);
    const std::vector<std::uint32_t> first = cut(ranks, network, count);
    const strc_ranks view = viewOf(ranks, network);
    const auto rankOf = [&](std::uint32_t segment) {
        return static_cast<std::uint32_t>(std::upper_bound(first.begin(), first.end(), segment) -
                                          first.begin() - 1);
    };
    std::vector<double> work(first.size() - 1);
    for (std::uint32_t k = 0; k < made.segments.size(); ++k) work[rankOf(k)] += made.segments[k];
    for (std::uint32_t& segment : made.segmentOf)
        if (segment != Segmentation::kNoSegment) segment = rankOf(segment);
    made.segments = std::move(work);
    made.carried.clear();
    made.bytes.assign(plan.program->graph.edges.size(), 0);
    for (std::size_t rank = 1; rank + 1 < first.size(); ++rank)
        for (std::size_t k = 0; k < ranks.tapes.size(); ++k) {
            std::uint64_t begin = 0;
            made.bytes[ranks.edges[k]] +=
                static_cast<double>(strc_cut_piece(&view, &ranks.tapes[k], first[rank], &begin)) /
                static_cast<double>(made.states);
        }
    made.summary = summariseRanks(plan, ranks, network, count);
    return made;
}

std::string printSegments(const Plan& plan, const Segmentation& segmentation) {
    return SegmentPrinter(plan, segmentation).print();
}

}  // namespace strc::plan
