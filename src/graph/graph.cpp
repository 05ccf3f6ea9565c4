#include "graph/graph.h"

#include <algorithm>
#include <ranges>

#include "base/assert.h"

namespace strc::graph {
namespace {

/// "name", or "name[k]" where siblings share the name: the k-th of them.
std::string componentName(const Graph& graph, CompositeId parent, const std::string& name,
                          std::uint32_t index) {
    if (parent == kNone) return name;
    std::uint32_t same = 0;
    std::uint32_t before = 0;
    for (const Child& child : graph.composites[parent].children) {
        const std::string& other =
            child.isComposite ? graph.composites[child.id].name : graph.nodes[child.id].name;
        std::uint32_t position =
            child.isComposite ? graph.composites[child.id].index : graph.nodes[child.id].index;
        if (other != name) continue;
        ++same;
        if (position < index) ++before;
    }
    return same > 1 ? name + '[' + std::to_string(before) + ']' : name;
}

std::string prefix(const Graph& graph, CompositeId parent) {
    return parent == kNone ? std::string() : compositePath(graph, parent) + '.';
}

const Rates& ratesOf(const Node& node, bool first) {
    return first && node.prework ? *node.prework : node.work;
}

/// Of a filter at one of several ports.
std::int64_t rateAt(const Node& node, const FlowRate& port, bool first) {
    return first && node.prework ? port.first : port.then;
}

std::int64_t exact(const Rate& rate) {
    STRC_ASSERT(!rate.dynamic, "static rate asked of a dynamic one");
    return rate.max;
}

}  // namespace

bool Graph::isDynamic() const {
    return std::any_of(nodes.begin(), nodes.end(), [](const Node& node) {
        return node.work.isDynamic() || (node.prework && node.prework->isDynamic());
    });
}

const types::Type* memoryOf(const Edge& edge) { return edge.inFiles ? edge.inFiles : edge.type; }

bool hasTensors(const Edge& edge) {
    return !edge.tensors.empty() || (edge.type && edge.type->is(types::TypeKind::Tensor));
}

std::string itemsOf(const Edge& edge) {
    if (edge.tensors.empty() || !edge.type->is(types::TypeKind::Tensor))
        return types::toString(edge.type);
    std::string text;
    for (const types::Type* each : edge.tensors)
        text += (text.empty() ? "" : ", ") + types::toString(each);
    return text;
}

std::string path(const Graph& graph, NodeId id) {
    const Node& node = graph.nodes[id];
    return prefix(graph, node.parent) + componentName(graph, node.parent, node.name, node.index);
}

std::string compositePath(const Graph& graph, CompositeId id) {
    std::vector<CompositeId> chain;
    for (; id != kNone; id = graph.composites[id].parent) chain.push_back(id);
    std::string text;
    for (CompositeId each : std::views::reverse(chain)) {
        const Composite& composite = graph.composites[each];
        if (!text.empty()) text += '.';
        text += componentName(graph, composite.parent, composite.name, composite.index);
    }
    return text;
}

std::int64_t popRate(const Graph& graph, EdgeId id, bool first) {
    const Edge& edge = graph.edges[id];
    const Node& node = graph.nodes[edge.to];
    switch (node.kind) {
        case NodeKind::Filter:
            if (!node.inputRates.empty()) return rateAt(node, node.inputRates[edge.toPort], first);
            return exact(ratesOf(node, first).pop);
        case NodeKind::Duplicate: return 1;
        case NodeKind::RoundRobinJoiner: return node.weights[edge.toPort];
        case NodeKind::RoundRobinSplitter: return node.totalWeight;
    }
    STRC_UNREACHABLE("kind of node");
}

std::int64_t peekRate(const Graph& graph, EdgeId id, bool first) {
    const Node& node = graph.nodes[graph.edges[id].to];
    if (node.kind != NodeKind::Filter || !node.inputRates.empty()) return popRate(graph, id, first);
    return exact(ratesOf(node, first).peek);
}

std::int64_t pushRate(const Graph& graph, EdgeId id, bool first) {
    const Edge& edge = graph.edges[id];
    const Node& node = graph.nodes[edge.from];
    switch (node.kind) {
        case NodeKind::Filter:
            if (!node.outputRates.empty())
                return rateAt(node, node.outputRates[edge.fromPort], first);
            return exact(ratesOf(node, first).push);
        case NodeKind::Duplicate: return 1;
        case NodeKind::RoundRobinSplitter: return node.weights[edge.fromPort];
        case NodeKind::RoundRobinJoiner: return node.totalWeight;
    }
    STRC_UNREACHABLE("kind of node");
}

bool isDynamic(const Graph& graph, EdgeId id) {
    const Edge& edge = graph.edges[id];
    auto filterIs = [&](NodeId node, bool input) {
        if (node == kNone || graph.nodes[node].kind != NodeKind::Filter) return false;
        const Node& filter = graph.nodes[node];
        auto dynamic = [input](const Rates& rates) {
            return input ? rates.pop.dynamic || rates.peek.dynamic : rates.push.dynamic;
        };
        return dynamic(filter.work) || (filter.prework && dynamic(*filter.prework));
    };
    return filterIs(edge.to, true) || filterIs(edge.from, false);
}

bool isInFeedbackLoop(const Graph& graph, CompositeId id) {
    for (; id != kNone; id = graph.composites[id].parent)
        if (graph.composites[id].kind == CompositeKind::FeedbackLoop) return true;
    return false;
}

}  // namespace strc::graph
