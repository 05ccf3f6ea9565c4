#include "graph/hierarchy.h"

#include <algorithm>
#include <map>
#include <utility>

namespace strc::graph {
namespace {

std::string lastPart(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

/// The names of siblings, numbered where several are equal, as path() does.
std::vector<std::string> distinctNames(const std::vector<std::string>& names) {
    std::map<std::string, std::size_t> total, seen;
    for (const std::string& name : names) ++total[name];
    std::vector<std::string> result;
    for (const std::string& name : names) {
        result.push_back(total[name] == 1 ? name : name + '[' + std::to_string(seen[name]++) + ']');
    }
    return result;
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

Paths allPaths(const Graph& graph) {
    Paths paths{std::vector<std::string>(graph.nodes.size()),
                std::vector<std::string>(graph.composites.size())};
    std::vector<CompositeId> stack;
    for (CompositeId id = 0; id < graph.composites.size(); ++id) {
        if (graph.composites[id].parent != kNone) continue;
        paths.composites[id] = graph.composites[id].name;
        stack.push_back(id);
    }
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        if (graph.nodes[id].parent == kNone) paths.nodes[id] = graph.nodes[id].name;
    }
    while (!stack.empty()) {
        const CompositeId id = stack.back();
        stack.pop_back();
        const Composite& composite = graph.composites[id];
        std::vector<std::string> names;
        for (const Child& child : composite.children) {
            names.push_back(child.isComposite ? graph.composites[child.id].name
                                              : graph.nodes[child.id].name);
        }
        names = distinctNames(names);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const Child& child = composite.children[i];
            if (child.isComposite) stack.push_back(child.id);
            (child.isComposite ? paths.composites : paths.nodes)[child.id] =
                paths.composites[id] + '.' + names[i];
        }
        for (NodeId node : {composite.splitter, composite.joiner}) {
            if (node != kNone) paths.nodes[node] = path(graph, node);
        }
    }
    return paths;
}

Added addedBy(const base::SourceManager& sources, const Graph& graph, NodeId node) {
    Added added{graph.nodes[node].range, graph.nodes[node].name};
    for (CompositeId id = graph.nodes[node].parent; id != kNone; id = graph.composites[id].parent) {
        if (!sources.isLibrary(added.range.buffer)) break;
        added = {graph.composites[id].range, graph.composites[id].name};
    }
    return added;
}

std::string subjectOf(const base::SourceManager& sources, const Added& added,
                      const std::string& operation, base::SourceRange inBody) {
    const std::string stream = "'" + added.name + "'";
    if (operation.empty()) return stream;
    const bool isLibrary = inBody.valid() && sources.isLibrary(inBody.buffer);
    return isLibrary ? stream + ": " + operation : operation;
}

void noteAdded(const base::SourceManager& sources, const Graph& graph, NodeId node,
               base::Diagnostic& fault) {
    if (!sources.isLibrary(fault.range.buffer)) return;
    const Added added = addedBy(sources, graph, node);
    fault.note(base::Diag::AddedHere, added.range) << added.name;
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
