#include "repl/detail/node_names.h"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

namespace strc::repl {

using graph::EdgeId;
using graph::Graph;
using graph::NodeId;

std::string nameOf(const Graph& graph, NodeId node) {
    const std::string path = graph::path(graph, node);
    const std::size_t dot = path.find('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::string nameOfEdge(const Graph& graph, EdgeId edge) {
    const graph::Edge& each = graph.edges[edge];
    return fmt::format("{} -> {}", each.from == graph::kNone ? "input" : nameOf(graph, each.from),
                       each.to == graph::kNone ? "output" : nameOf(graph, each.to));
}

namespace {

std::optional<std::uint32_t> numberIn(std::string_view name, std::size_t count) {
    if (name.starts_with('#')) name.remove_prefix(1);
    if (name.empty() || name.size() > 9) return std::nullopt;
    std::uint32_t number = 0;
    for (char c : name) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return number < count ? std::optional(number) : std::nullopt;
}

/// A path, its end, or the name of the stream without a number.
bool isMeant(std::string_view path, std::string_view name) {
    if (path == name) return true;
    if (path.ends_with(name) && path[path.size() - name.size() - 1] == '.') return true;
    const std::size_t bracket = path.rfind('[');
    return bracket != std::string_view::npos && path.ends_with(']') &&
           name.find('[') == name.npos && isMeant(path.substr(0, bracket), name);
}

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace

std::vector<NodeId> nodesCalled(const Graph& graph, std::string_view name) {
    if (auto number = numberIn(name, graph.nodes.size())) return {*number};
    std::vector<NodeId> found;
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
        if (isMeant(graph::path(graph, id), name)) found.push_back(id);
    return found;
}

std::vector<EdgeId> edgesCalled(const Graph& graph, std::string_view name) {
    name = trim(name);
    if (auto number = numberIn(name, graph.edges.size())) return {*number};
    if (name == "input" && graph.input != graph::kNone) return {graph.input};
    if (name == "output" && graph.output != graph::kNone) return {graph.output};
    const std::size_t arrow = name.find("->");
    auto hasEnd = [&](NodeId end, std::string_view wanted, const char* open) {
        if (end == graph::kNone) return wanted == open;
        return isMeant(graph::path(graph, end), wanted);
    };
    std::vector<EdgeId> found;
    for (EdgeId id = 0; id < graph.edges.size(); ++id) {
        const graph::Edge& edge = graph.edges[id];
        const bool isFound =
            arrow == name.npos ? hasEnd(edge.from, name, "input") || hasEnd(edge.to, name, "output")
                               : hasEnd(edge.from, trim(name.substr(0, arrow)), "input") &&
                                     hasEnd(edge.to, trim(name.substr(arrow + 2)), "output");
        if (isFound) found.push_back(id);
    }
    return found;
}

}  // namespace strc::repl
