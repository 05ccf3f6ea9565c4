#include <fmt/format.h>

#include "graph/hierarchy.h"
#include "graph/outline.h"
#include "graph/picture.h"

namespace strc::graph {
namespace {

class TextWriter {
public:
    TextWriter(const Graph& graph, const Annotations& notes) : graph(graph), notes(notes) {}

    std::string write() {
        for (const OutlineItem& item : outline(graph)) {
            if (item.kind == OutlineItem::Kind::Leave) continue;
            out.append(2 * item.depth, ' ');
            if (item.kind == OutlineItem::Kind::Enter) {
                const Composite& composite = graph.composites[item.id];
                out += fmt::format("{} {}\n", kindName(composite.kind), composite.name);
            } else {
                writeNode(item.id);
            }
        }
        if (!graph.edges.empty()) out += "tapes\n";
        for (EdgeId id = 0; id < graph.edges.size(); ++id) writeEdge(id);
        if (!graph.messages.empty()) out += "messages\n";
        for (const MessageLink& link : graph.messages) writeMessage(link);
        return std::move(out);
    }

private:
    void writeNode(NodeId id) {
        const Node& node = graph.nodes[id];
        out += fmt::format("#{} ", id);
        if (node.kind == NodeKind::Filter) {
            out += "filter " + node.name;
            if (node.prework) out += " [prework " + ratesText(*node.prework) + ']';
            const std::string work = ratesText(node.work);
            if (!work.empty()) out += ' ' + work;
        } else {
            out +=
                (node.kind == NodeKind::RoundRobinJoiner ? "join " : "split ") + weightsText(node);
        }
        for (const std::string& effect : effectNames(node.effects)) out += ' ' + effect;
        if (!node.file.empty()) out += fmt::format(" '{}'", node.file);
        if (notes.repetitions) {
            out += fmt::format(" [init {} steady {}", notes.repetitions->init[id],
                               notes.repetitions->steady[id]);
            if (notes.repetitions->islands > 1)
                out += fmt::format(" island {}", notes.repetitions->island[id]);
            out += ']';
        }
        out += '\n';
    }

    static std::string end(const char* open, NodeId node, std::uint32_t port) {
        if (node == kNone) return open;
        return port == 0 ? fmt::format("#{}", node) : fmt::format("#{}.{}", node, port);
    }

    void writeEdge(EdgeId id) {
        const Edge& edge = graph.edges[id];
        out += fmt::format("  {} -> {}", end("input", edge.from, edge.fromPort),
                           end("output", edge.to, edge.toPort));
        if (edge.type) out += ' ' + itemsOf(edge);
        if (isDynamic(graph, id)) out += " dynamic";
        if (!edge.initial.empty()) {
            out += " initial {";
            for (std::size_t i = 0; i < edge.initial.size(); ++i) {
                out += (i == 0 ? "" : ", ");
                out += edge.initial[i].type ? types::toString(edge.initial[i]) : "?";
            }
            out += '}';
        }
        if (notes.capacity && (*notes.capacity)[id] > 0) {
            out += fmt::format(" buffer {}", (*notes.capacity)[id]);
        }
        out += '\n';
    }

    void writeMessage(const MessageLink& link) {
        out += fmt::format("  #{} -> #{} {}", link.sender, link.receiver,
                           link.downstream ? "downstream" : "upstream");
        if (link.bestEffort) {
            out += " best effort";
        } else if (link.minLatency) {
            out += fmt::format(" latency {}", *link.minLatency);
        }
        out += '\n';
    }

    const Graph& graph;
    const Annotations& notes;
    std::string out;
};

}  // namespace

std::string toText(const Graph& graph, const Annotations& notes) {
    return TextWriter(graph, notes).write();
}

}  // namespace strc::graph
