#include "elab/without.h"

#include <algorithm>
#include <numeric>

#include "base/assert.h"
#include "elab/detail/order.h"

namespace strc::elab {
namespace {

/// By old number the new one.
std::vector<std::uint32_t> numbersOf(const std::vector<bool>& unwanted) {
    std::vector<std::uint32_t> numbers;
    std::uint32_t next = 0;
    for (bool goes : unwanted) numbers.push_back(goes ? graph::kNone : next++);
    return numbers;
}

template <typename Each>
void keep(std::vector<Each>& list, const std::vector<std::uint32_t>& numbers) {
    STRC_ASSERT(list.size() == numbers.size(), "parallel lists of different lengths");
    std::vector<Each> kept;
    for (std::size_t k = 0; k < numbers.size(); ++k)
        if (numbers[k] != graph::kNone) kept.push_back(std::move(list[k]));
    list = std::move(kept);
}

void renumber(std::uint32_t& id, const std::vector<std::uint32_t>& numbers) {
    if (id != graph::kNone) id = numbers[id];
}

}  // namespace

void renumberOrder(std::vector<graph::Node>& nodes) {
    std::vector<graph::NodeId> ids(nodes.size());
    std::iota(ids.begin(), ids.end(), 0);
    std::sort(ids.begin(), ids.end(),
              [&](graph::NodeId a, graph::NodeId b) { return nodes[a].order < nodes[b].order; });
    for (std::uint32_t k = 0; k < ids.size(); ++k) nodes[ids[k]].order = k;
}

Without without(Elaboration made, const Unwanted& unwanted) {
    const auto nodeOf = numbersOf(unwanted.nodes), edgeOf = numbersOf(unwanted.edges),
               compositeOf = numbersOf(unwanted.composites);
    graph::Graph& graph = made.graph;
    keep(graph.nodes, nodeOf);
    keep(made.states, nodeOf);
    if (!made.origin.empty()) keep(made.origin, nodeOf);
    keep(graph.edges, edgeOf);
    keep(graph.composites, compositeOf);
    for (graph::Node& node : graph.nodes) {
        for (graph::EdgeId& edge : node.inputs) renumber(edge, edgeOf);
        for (graph::EdgeId& edge : node.outputs) renumber(edge, edgeOf);
        renumber(node.parent, compositeOf);
    }
    for (graph::Edge& edge : graph.edges) {
        renumber(edge.from, nodeOf);
        renumber(edge.to, nodeOf);
    }
    renumber(graph.input, edgeOf);
    renumber(graph.output, edgeOf);
    for (graph::CompositeId id = 0; id < graph.composites.size(); ++id) {
        graph::Composite& composite = graph.composites[id];
        renumber(composite.parent, compositeOf);
        renumber(composite.splitter, nodeOf);
        renumber(composite.joiner, nodeOf);
        for (std::uint32_t k = 0; k < composite.children.size(); ++k) {
            graph::Child& child = composite.children[k];
            renumber(child.id, child.isComposite ? compositeOf : nodeOf);
            (child.isComposite ? graph.composites[child.id].index : graph.nodes[child.id].index) =
                k;
            if (!child.isComposite) graph.nodes[child.id].parent = id;
        }
    }
    renumberOrder(graph.nodes);
    return {std::move(made), nodeOf};
}

}  // namespace strc::elab
