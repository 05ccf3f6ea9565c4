#include "graph/hierarchy.h"

#include <algorithm>

namespace strc::graph {
namespace {

std::string lastPart(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

}  // namespace

Hierarchy::Hierarchy(const Graph& graph)
    : graph(graph),
      depth(graph.composites.size()),
      first(graph.composites.size()),
      last(graph.composites.size()),
      position(graph.nodes.size()) {
    const auto count = static_cast<CompositeId>(graph.composites.size());
    std::vector<std::vector<CompositeId>> inner(count);
    std::vector<std::vector<NodeId>> nodes(count);
    std::vector<CompositeId> stack;
    for (CompositeId id = 0; id < count; ++id) {
        const CompositeId parent = graph.composites[id].parent;
        if (parent == kNone) {
            stack.push_back(id);
        } else {
            inner[parent].push_back(id);
        }
    }
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        const CompositeId parent = graph.nodes[id].parent;
        if (parent == kNone) {
            position[id] = static_cast<std::uint32_t>(byPosition.size());
            byPosition.push_back(id);
        } else {
            nodes[parent].push_back(id);
        }
    }
    std::vector<bool> entered(count);
    while (!stack.empty()) {
        const CompositeId id = stack.back();
        if (entered[id]) {
            last[id] = static_cast<std::uint32_t>(byPosition.size());
            order.push_back(id);
            stack.pop_back();
            continue;
        }
        entered[id] = true;
        first[id] = static_cast<std::uint32_t>(byPosition.size());
        for (NodeId node : nodes[id]) {
            position[node] = static_cast<std::uint32_t>(byPosition.size());
            byPosition.push_back(node);
        }
        const CompositeId parent = graph.composites[id].parent;
        depth[id] = parent == kNone ? 0 : depth[parent] + 1;
        stack.insert(stack.end(), inner[id].rbegin(), inner[id].rend());
    }
}

CompositeId Hierarchy::commonOf(CompositeId a, CompositeId b) const {
    while (a != b) {
        if (a == kNone || b == kNone) return kNone;
        if (depth[a] >= depth[b]) {
            a = graph.composites[a].parent;
        } else {
            b = graph.composites[b].parent;
        }
    }
    return a;
}

CompositeId Hierarchy::common(NodeId a, NodeId b) const {
    return commonOf(graph.nodes[a].parent, graph.nodes[b].parent);
}

Child Hierarchy::childWith(CompositeId composite, NodeId node) const {
    CompositeId id = graph.nodes[node].parent;
    if (id == composite) return {false, node};
    while (id != kNone && graph.composites[id].parent != composite) {
        id = graph.composites[id].parent;
    }
    return {true, id};
}

bool Hierarchy::contains(CompositeId id, NodeId node) const {
    return position[node] >= first[id] && position[node] < last[id];
}

std::vector<NodeId> Hierarchy::nodesOf(CompositeId id) const {
    std::vector<NodeId> list(byPosition.begin() + first[id], byPosition.begin() + last[id]);
    std::sort(list.begin(), list.end());
    return list;
}

std::string shortName(const Graph& graph, NodeId id) { return lastPart(path(graph, id)); }

std::string shortName(const Graph& graph, Child child) {
    return child.isComposite ? lastPart(compositePath(graph, child.id))
                             : shortName(graph, child.id);
}

const char* kindName(CompositeKind kind) {
    switch (kind) {
        case CompositeKind::Pipeline: return "pipeline";
        case CompositeKind::SplitJoin: return "splitjoin";
        case CompositeKind::FeedbackLoop: return "feedbackloop";
    }
    return "";
}

}  // namespace strc::graph
