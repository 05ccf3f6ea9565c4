#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "graph/detail/view.h"
#include "graph/hierarchy.h"
#include "graph/outline.h"
#include "graph/picture.h"

namespace strc::graph {
namespace {

constexpr std::size_t kMostWeights = 8;

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n') {
            result += "\\n";
        } else {
            result += c;
        }
    }
    return result + '"';
}

class DotWriter {
public:
    DotWriter(const Graph& graph, const Annotations& notes, Folding folding)
        : graph(graph), notes(notes), view(makeView(graph, notes, folding)) {}

    std::string write() {
        const std::string name =
            graph.composites.empty() ? graph.nodes[0].name : graph.composites[0].name;
        out += "digraph " + quoted(name) + " {\n";
        out +=
            "  graph [fontname=\"Helvetica\", fontsize=11, labeljust=l, ranksep=0.7, "
            "style=rounded, color=gray60];\n";
        out +=
            "  node [fontname=\"Helvetica\", fontsize=10, shape=box, style=filled, "
            "fillcolor=white];\n";
        out +=
            "  edge [fontname=\"Helvetica\", fontsize=8, labelfontsize=8, color=gray30, "
            "arrowsize=0.6, labeldistance=1.8, labelangle=30];\n";
        if (const std::string below = summary(); !below.empty())
            out += fmt::format("  graph [label={}, labelloc=b];\n", quoted(below));
        writeBoxes();
        for (const Line& line : view.lines) writeLine(line);
        writeOpenEnds();
        for (const MessageLink& link : graph.messages) writeMessage(link);
        return out + "}\n";
    }

private:
    struct Pending {
        std::uint32_t box = 0;
        std::uint32_t depth = 1;
        bool leaving = false;
    };

    void writeBoxes() {
        std::vector<Pending> stack;
        auto push = [&](const std::vector<std::uint32_t>& boxes, std::uint32_t depth) {
            for (std::uint32_t box : std::views::reverse(boxes))
                stack.push_back({box, depth, false});
        };
        push(view.roots, 1);
        while (!stack.empty()) {
            const Pending next = stack.back();
            stack.pop_back();
            out.append(std::size_t{2} * next.depth, ' ');
            const Box& box = view.boxes[next.box];
            if (next.leaving) {
                out += "}\n";
            } else if (box.kind == Box::Kind::Open || box.kind == Box::Kind::Group) {
                out += fmt::format("subgraph cluster_{} {{ label={};\n", next.box,
                                   quoted(frameLabel(box)));
                stack.push_back({next.box, next.depth, true});
                push(box.inside, next.depth + 1);
            } else {
                writeBox(next.box);
            }
        }
    }

    std::string summary() const {
        if (notes.shared) return notes.shared->who + '\n' + notes.shared->summary;
        return notes.segmentation ? notes.segmentation->summary : "";
    }

    static std::string times(const Box& box) {
        if (box.times == 1) return "";
        return fmt::format(" × {}{}", box.times, box.inARow ? " in a row" : "");
    }

    std::string frameLabel(const Box& box) const {
        if (box.kind == Box::Kind::Group) return fmt::format("× {} in a row", box.times);
        const Composite& composite = graph.composites[box.id];
        const std::string kind = kindName(composite.kind);
        return (composite.name == kind ? kind : kind + ' ' + composite.name) + times(box);
    }

    void writeBox(std::uint32_t at) {
        const Box& box = view.boxes[at];
        std::string label, attributes;
        switch (box.kind) {
            case Box::Kind::Node:
                label = nodeLabel(box);
                if (graph.nodes[box.id].kind != NodeKind::Filter) {
                    attributes = ", shape=ellipse, fillcolor=gray92";
                }
                attributes += colourOf(box.id);
                break;
            case Box::Kind::Closed:
                label = frameLabel(box) + fmt::format("\n{} nodes", box.nodes);
                attributes = ", shape=box3d, fillcolor=gray97";
                break;
            default:
                label = fmt::format("… {} more nodes", box.nodes);
                attributes = ", shape=plaintext";
                break;
        }
        out += fmt::format("n{} [label={}{}];\n", at, quoted(label), attributes);
    }

    std::string nodeLabel(const Box& box) const {
        const Node& node = graph.nodes[box.id];
        std::string label =
            node.kind == NodeKind::Filter ? node.name : weightsText(node, kMostWeights);
        label += times(box);
        if (node.kind == NodeKind::Filter) {
            if (node.prework) label += "\nprework " + ratesText(*node.prework);
            const std::string work = ratesText(node.work);
            if (!work.empty()) label += '\n' + work;
        }
        label += segmentText(box.id) + sharedText(box.id);
        if (notes.repetitions) {
            const std::int64_t init = notes.repetitions->init[box.id];
            const std::int64_t steady = notes.repetitions->steady[box.id];
            label += init == 0 ? fmt::format("\nfires {}", steady)
                               : fmt::format("\nfires {} + {}", init, steady);
        }
        return label;
    }

    /// Segments that follow each other differ, and so does what ranks share from what each does alone.
    std::string colourOf(NodeId id) const {
        constexpr std::array kColours{"#a6cee3", "#b2df8a", "#fdbf6f", "#cab2d6",
                                      "#ffff99", "#fb9a99", "#8dd3c7", "#d9d9d9"};
        if (notes.shared)
            return std::ranges::any_of(notes.shared->products[id],
                                       [](const auto& each) { return each.whyWhole.empty(); })
                       ? fmt::format(", fillcolor=\"{}\"", kColours[0])
                       : "";
        if (!notes.segmentation || notes.segmentation->segmentOf[id] == Segmentation::kNoSegment)
            return "";
        return fmt::format(", fillcolor=\"{}\"",
                           kColours[notes.segmentation->segmentOf[id] % kColours.size()]);
    }

    static const char* partText(const Segmentation& all) {
        return all.isOfRanks() ? "rank" : all.isOfCalls() ? "partition" : "segment";
    }

    std::string segmentText(NodeId id) const {
        if (!notes.segmentation || notes.segmentation->segmentOf[id] == Segmentation::kNoSegment)
            return "";
        std::string text =
            fmt::format("\n{} {}, {:.1f}%", partText(*notes.segmentation),
                        notes.segmentation->segmentOf[id], 100 * notes.segmentation->work[id]);
        if (notes.segmentation->isOfCalls())
            text += fmt::format("\nthread {}",
                                notes.segmentation->homes[notes.segmentation->segmentOf[id]]);
        std::int64_t bytes = 0;
        bool isInTurn = false;
        for (const Segmentation::Carried& each : notes.segmentation->carried) {
            if (each.node != id) continue;
            bytes += each.bytes;
            isInTurn = isInTurn || each.bytes == 0;
        }
        if (bytes != 0) text += fmt::format("\nhands on {} bytes", bytes);
        return isInTurn ? text + "\nin turn" : text;
    }

    std::string sharedText(NodeId id) const {
        std::string text;
        if (!notes.shared) return text;
        for (const SharedProducts::Product& each : notes.shared->products[id])
            text += each.whyWhole.empty()
                        ? fmt::format("\n{} parts of {} {}\n{}", each.parts, each.places, each.what,
                                      each.staysApart
                                          ? "which stay apart"
                                          : fmt::format("{} bytes to each rank", each.bytes))
                        : "\nwhole on each rank";
        return text;
    }

    /// What crosses between segments of a chunk, and what goes to the next chunk.
    std::string crossingText(EdgeId id) const {
        if (!notes.segmentation) return "";
        std::string text;
        if (notes.segmentation->isOfRanks())
            return notes.segmentation->bytes[id] > 0
                       ? fmt::format("{:.4g} bytes a steady state", notes.segmentation->bytes[id])
                       : "";
        if (notes.segmentation->crosses(graph.edges[id]))
            text = fmt::format("{} items a {}", notes.segmentation->items[id],
                               notes.segmentation->isOfCalls() ? "call" : "chunk");
        for (const Segmentation::Carried& each : notes.segmentation->carried)
            if (each.edge == id)
                text += fmt::format("{}{} bytes to the next", text.empty() ? "" : "\n", each.bytes);
        return text;
    }

    /// Rates stand at the ends only where they are not clear from the node itself.
    void writeLine(const Line& line) {
        const Edge& edge = graph.edges[line.edge];
        std::string attributes;
        std::string label;
        auto add = [&](const std::string& text) { label += (label.empty() ? "" : "\n") + text; };
        if (notes.capacity && (*notes.capacity)[line.edge] > 0) {
            add(fmt::format(" [{}]", (*notes.capacity)[line.edge]));
        }
        if (const std::string crossing = crossingText(line.edge); !crossing.empty()) {
            add(crossing);
            attributes = "penwidth=2.5, ";
        }
        if (!edge.initial.empty()) add(fmt::format("{} initial", edge.initial.size()));
        if (isDynamic(graph, line.edge)) {
            attributes += "style=dashed, ";
        } else {
            const std::int64_t pop = popRate(graph, line.edge);
            const std::int64_t peek = peekRate(graph, line.edge);
            attributes +=
                fmt::format("taillabel=\"{}\", headlabel=\"{}{}\", ", pushRate(graph, line.edge),
                            pop, peek > pop ? fmt::format("/{}", peek) : "");
        }
        out += fmt::format("  n{} -> n{} [{}label={}];\n", line.from, line.to, attributes,
                           quoted(label));
    }

    void writeOpenEnds() {
        if (graph.input != kNone) {
            out += "  input [shape=plaintext];\n";
            out += fmt::format("  input -> n{};\n", view.boxOf[graph.edges[graph.input].to]);
        }
        if (graph.output != kNone) {
            out += "  output [shape=plaintext];\n";
            out += fmt::format("  n{} -> output;\n", view.boxOf[graph.edges[graph.output].from]);
        }
    }

    void writeMessage(const MessageLink& link) {
        const std::uint32_t from = view.boxOf[link.sender];
        const std::uint32_t to = view.boxOf[link.receiver];
        if (from == kNone || to == kNone || from == to) return;
        std::string label = "message";
        if (link.bestEffort) {
            label += " [*]";
        } else if (link.minLatency) {
            label += fmt::format(" [{}]", *link.minLatency);
        }
        out += fmt::format("  n{} -> n{} [label=\"{}\", style=dotted, constraint=false];\n", from,
                           to, label);
    }

    const Graph& graph;
    const Annotations& notes;
    View view;
    std::string out;
};

}  // namespace

std::string toDot(const Graph& graph, const Annotations& notes, Folding folding) {
    return DotWriter(graph, notes, folding).write();
}

}  // namespace strc::graph
