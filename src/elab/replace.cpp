#include "elab/replace.h"

#include <algorithm>
#include <map>
#include <memory>

#include "elab/detail/order.h"
#include "graph/effects.h"

namespace strc::elab {
namespace {

using graph::Child;
using graph::CompositeId;
using graph::NodeId;

constexpr std::uint32_t kMostNames = 4;

template <typename Graph>
auto& nameIn(Graph& graph, Child child) {
    return child.isComposite ? graph.composites[child.id].name : graph.nodes[child.id].name;
}

class Rewriter {
public:
    Rewriter(const Elaboration& program, std::vector<Replacement> filters)
        : old(program),
          places(std::move(filters)),
          regionOf(program.graph.nodes.size(), graph::kNone),
          nodeOf(places.size(), graph::kNone),
          newNode(program.graph.nodes.size(), graph::kNone),
          isGone(program.graph.composites.size()),
          newComposite(program.graph.composites.size(), graph::kNone) {}

    Replaced run() {
        made.kernels = old.kernels;
        made.random = old.random;
        made.openValues = old.openValues;
        made.openSounds = old.openSounds;
        made.complete = old.complete;
        made.dynamicFilters = old.dynamicFilters;
        for (std::uint32_t k = 0; k < places.size(); ++k) mark(k);
        nodes();
        composites();
        edges();
        renumberOrder(made.graph.nodes);
        return {std::move(made), std::move(newNode)};
    }

private:
    /// All that is inside of a region.
    void mark(std::uint32_t region) {
        std::vector<Child> inside = childrenAt(old.graph, places[region].place);
        while (!inside.empty()) {
            const Child child = inside.back();
            inside.pop_back();
            if (!child.isComposite) {
                regionOf[child.id] = region;
                continue;
            }
            const graph::Composite& composite = old.graph.composites[child.id];
            isGone[child.id] = true;
            for (NodeId node : {composite.splitter, composite.joiner})
                if (node != graph::kNone) regionOf[node] = region;
            inside.insert(inside.end(), composite.children.begin(), composite.children.end());
        }
    }

    void nodes() {
        for (NodeId id = 0; id < old.graph.nodes.size(); ++id) {
            const std::uint32_t region = regionOf[id];
            if (region == graph::kNone) {
                newNode[id] = add(old.graph.nodes[id], old.states[id]);
                made.origin.push_back(old.origin.empty() ? id : old.origin[id]);
            } else if (id == places[region].place.entry) {
                nodeOf[region] = add(filter(places[region]), places[region].state);
                made.origin.push_back(graph::kNone);
            }
        }
        for (NodeId id = 0; id < old.graph.nodes.size(); ++id)
            if (regionOf[id] != graph::kNone) newNode[id] = nodeOf[regionOf[id]];
    }

    NodeId add(graph::Node node, std::shared_ptr<const std::string> state) {
        made.graph.nodes.push_back(std::move(node));
        made.states.push_back(std::move(state));
        return static_cast<NodeId>(made.graph.nodes.size() - 1);
    }

    graph::Node filter(Replacement& replacement) {
        const graph::Node& entry = old.graph.nodes[replacement.place.entry];
        graph::Node node;
        node.name = std::move(replacement.name);
        node.range = entry.range;
        node.order = entry.order;
        node.parent = replacement.place.parent;
        node.inputs.assign(1, graph::kNone);
        node.outputs.assign(1, graph::kNone);
        node.kernel = replacement.kernel;
        if (node.kernel == graph::kNone) {
            node.kernel = static_cast<graph::KernelId>(made.kernels.size());
            made.kernels.push_back(std::move(replacement.made));
        }
        node.work = replacement.work;
        return node;
    }

    // ---- hierarchy

    void composites() {
        for (CompositeId id = 0; id < old.graph.composites.size(); ++id) {
            if (isGone[id]) continue;
            newComposite[id] = static_cast<CompositeId>(made.graph.composites.size());
            graph::Composite composite = old.graph.composites[id];
            if (composite.parent != graph::kNone) composite.parent = newComposite[composite.parent];
            composite.children.clear();
            for (NodeId* node : {&composite.splitter, &composite.joiner})
                if (*node != graph::kNone) *node = newNode[*node];
            made.graph.composites.push_back(std::move(composite));
        }
        for (graph::Node& node : made.graph.nodes)
            if (node.parent != graph::kNone) node.parent = newComposite[node.parent];
        for (CompositeId id = 0; id < old.graph.composites.size(); ++id)
            if (!isGone[id]) children(id);
    }

    std::uint32_t regionWith(Child child) const {
        if (!child.isComposite) return regionOf[child.id];
        if (!isGone[child.id]) return graph::kNone;
        const graph::Graph& graph = old.graph;
        while (child.isComposite) child = graph.composites[child.id].children.front();
        return regionOf[child.id];
    }

    void children(CompositeId id) {
        const std::vector<Child>& before = old.graph.composites[id].children;
        const bool hasChanged = std::any_of(before.begin(), before.end(), [&](Child child) {
            return regionWith(child) != graph::kNone;
        });
        // Names that were told from their siblings' by numbers stay as they are.
        std::map<std::string, std::uint32_t> total, seen;
        if (hasChanged)
            for (Child child : before) ++total[nameIn(old.graph, child)];
        std::uint32_t last = graph::kNone;
        for (Child child : before) {
            const std::string name = nameIn(old.graph, child);
            const std::uint32_t number = seen[name]++;
            const std::uint32_t region = regionWith(child);
            if (region == graph::kNone) {
                child.id = child.isComposite ? newComposite[child.id] : newNode[child.id];
                if (hasChanged && total[name] > 1)
                    nameIn(made.graph, child) = name + '[' + std::to_string(number) + ']';
                append(id, child);
            } else if (region != last) {
                append(id, {false, nodeOf[region]});
            }
            last = region;
        }
    }

    void append(CompositeId parent, Child child) {
        std::vector<Child>& list = made.graph.composites[newComposite[parent]].children;
        const auto index = static_cast<std::uint32_t>(list.size());
        (child.isComposite ? made.graph.composites[child.id].index
                           : made.graph.nodes[child.id].index) = index;
        list.push_back(child);
    }

    // ---- edges

    void edges() {
        std::vector<graph::EdgeId> newEdge(old.graph.edges.size(), graph::kNone);
        for (graph::EdgeId id = 0; id < old.graph.edges.size(); ++id) {
            graph::Edge edge = old.graph.edges[id];
            const std::uint32_t from =
                edge.from == graph::kNone ? graph::kNone : regionOf[edge.from];
            const std::uint32_t to = edge.to == graph::kNone ? graph::kNone : regionOf[edge.to];
            if (from != graph::kNone && from == to) continue;
            newEdge[id] = static_cast<graph::EdgeId>(made.graph.edges.size());
            if (edge.from != graph::kNone) {
                edge.from = newNode[edge.from];
                if (from != graph::kNone) edge.fromPort = 0;
                made.graph.nodes[edge.from].outputs[edge.fromPort] = newEdge[id];
            }
            if (edge.to != graph::kNone) {
                edge.to = newNode[edge.to];
                if (to != graph::kNone) edge.toPort = 0;
                made.graph.nodes[edge.to].inputs[edge.toPort] = newEdge[id];
            }
            made.graph.edges.push_back(std::move(edge));
        }
        auto moved = [&](graph::EdgeId id) {
            return id == graph::kNone ? graph::kNone : newEdge[id];
        };
        made.graph.input = moved(old.graph.input);
        made.graph.output = moved(old.graph.output);
    }

    const Elaboration& old;
    std::vector<Replacement> places;
    std::vector<std::uint32_t> regionOf;  ///< by node: into `places`
    std::vector<NodeId> nodeOf;  ///< by place
    std::vector<NodeId> newNode;
    std::vector<bool> isGone;  ///< composites
    std::vector<CompositeId> newComposite;
    Elaboration made;
};

}  // namespace

std::vector<Child> childrenAt(const graph::Graph& graph, const GraphRange& place) {
    if (place.parent != graph::kNone) {
        auto first = graph.composites[place.parent].children.begin();
        return {first + place.from, first + place.to};
    }
    return {graph.composites.empty() ? Child{false, place.entry} : Child{true, 0}};
}

std::string nameOf(const graph::Graph& graph, const GraphRange& place) {
    const std::vector<Child> children = childrenAt(graph, place);
    std::string name;
    for (std::size_t k = 0; k < children.size(); ++k) {
        const bool isMiddle = children.size() > kMostNames && k > 1;
        if (isMiddle && k + 1 < children.size()) continue;
        if (!name.empty()) name += isMiddle ? "+…+" : "+";
        name += nameIn(graph, children[k]);
    }
    return name;
}

std::string pathOf(const graph::Graph& graph, const GraphRange& place) {
    const std::string name = nameOf(graph, place);
    if (place.parent == graph::kNone) return name;
    return graph::compositePath(graph, place.parent) + '.' + name;
}

Replaced replace(const Elaboration& program, std::vector<Replacement> filters) {
    return Rewriter(program, std::move(filters)).run();
}

bool firesAsBefore(const graph::Repetitions& before, const graph::Repetitions& after,
                   const std::vector<NodeId>& nodeOf) {
    std::vector<std::uint32_t> parts(after.steady.size());
    for (NodeId id : nodeOf) ++parts[id];
    for (NodeId id = 0; id < nodeOf.size(); ++id) {
        const NodeId now = nodeOf[id];
        const bool isSame =
            before.init[id] == after.init[now] && before.steady[id] == after.steady[now];
        if (parts[now] == 1 && !isSame) return false;
    }
    return true;
}

bool mayReplace(const Elaboration& program) {
    return program.graph.messages.empty() && program.portals.empty() &&
           !program.graph.isDynamic() && !graph::hasVisibleOrder(program.graph);
}

}  // namespace strc::elab
