#include "graph/detail/view.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "graph/hierarchy.h"
#include "graph/outline.h"

namespace strc::graph {
namespace {

constexpr std::size_t kFewestEqual = 3;     ///< that are drawn once
constexpr std::size_t kLongestPattern = 8;  ///< of children that repeat in a row
constexpr std::size_t kMostInside = 32;     ///< boxes in one composite

using Key = std::uint64_t;

Key mix(Key a, Key b) {
    Key x = (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9;
    return x ^ (x >> 31);
}

Key mixText(Key a, const std::string& text) {
    for (char c : text) a = mix(a, static_cast<unsigned char>(c));
    return a;
}

/// Equal for streams that look the same in a picture.
class Looks {
public:
    Looks(const Graph& graph, const Annotations& notes)
        : graph(graph), notes(notes), composites(graph.composites.size()) {
        const Hierarchy tree(graph);
        for (CompositeId id : tree.insideOut()) composites[id] = ofComposite(id);
    }
    Key operator[](Child child) const {
        return child.isComposite ? composites[child.id] : ofNode(child.id);
    }

private:
    Key ofNode(NodeId id) const {
        const Node& node = graph.nodes[id];
        Key key = mixText(static_cast<Key>(node.kind) + 1, node.name);
        key = mixText(key, ratesText(node.work));
        if (node.prework) key = mixText(key, "prework " + ratesText(*node.prework));
        for (std::int64_t weight : node.weights) key = mix(key, static_cast<Key>(weight));
        key = mix(key, node.effects);
        for (EdgeId edge : node.inputs) key = mix(key, graph.edges[edge].initial.size());
        if (notes.repetitions) {
            key = mix(key, static_cast<Key>(notes.repetitions->init[id]));
            key = mix(key, static_cast<Key>(notes.repetitions->steady[id]));
        }
        return key;
    }
    Key ofComposite(CompositeId id) const {
        const Composite& composite = graph.composites[id];
        Key key = mixText(static_cast<Key>(composite.kind) + 100, composite.name);
        for (Child part : partsOf(composite)) key = mix(key, (*this)[part]);
        return key;
    }

    const Graph& graph;
    const Annotations& notes;
    std::vector<Key> composites;
};

/// Children that are drawn once.
struct Run {
    std::vector<Child> shown;
    std::int64_t times = 1;
    bool inARow = false;
    std::vector<Child> hidden;  ///< all others
    std::vector<Child> last;    ///< in a row: the last ones, from which items go on
};

class Viewer {
public:
    Viewer(const Graph& graph, const Annotations& notes, Folding folding)
        : graph(graph),
          folds(folding.fold && graph.nodes.size() > folding.mostNodes),
          left(folds ? folding.mostNodes : graph.nodes.size()),
          looks(graph, notes),
          alias(graph.nodes.size(), kNone) {
        view.boxOf.assign(graph.nodes.size(), kNone);
    }

    View make() {
        for (CompositeId id = 0; id < graph.composites.size(); ++id) {
            if (graph.composites[id].parent == kNone) view.roots.push_back(addChild({true, id}));
        }
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            if (graph.nodes[id].parent == kNone) view.roots.push_back(addChild({false, id}));
        }
        // Outer composites are opened before inner ones, as long as there is room.
        for (std::size_t next = 0; next < closed.size(); ++next) open(closed[next]);
        addLines();
        return std::move(view);
    }

private:
    std::uint32_t addBox(Box box) {
        view.boxes.push_back(std::move(box));
        return static_cast<std::uint32_t>(view.boxes.size()) - 1;
    }

    std::uint32_t addChild(Child child) {
        Box box;
        box.id = child.id;
        if (!child.isComposite) {
            const std::uint32_t at = addBox(box);
            view.boxOf[child.id] = at;
            return at;
        }
        box.kind = Box::Kind::Closed;
        const std::vector<NodeId> nodes = nodesOf(child);
        box.nodes = static_cast<std::int64_t>(nodes.size());
        const std::uint32_t at = addBox(box);
        for (NodeId node : nodes) view.boxOf[node] = at;
        closed.push_back(at);
        return at;
    }

    std::vector<NodeId> nodesOf(Child child) const {
        std::vector<NodeId> nodes;
        for (const OutlineItem& item : outline(graph, child)) {
            if (item.kind == OutlineItem::Kind::Node) nodes.push_back(item.id);
        }
        return nodes;
    }

    // ---- opening composites

    void open(std::uint32_t at) {
        const CompositeId id = view.boxes[at].id;
        std::vector<Run> runs = runsOf(id);
        std::size_t boxes = 0;
        for (const Run& run : runs) boxes += run.shown.size();
        boxes = std::min(boxes, kMostInside);
        if (folds && boxes > left + 1) return;  // it was one box itself
        left -= std::min(left, boxes - std::min<std::size_t>(boxes, 1));
        view.boxes[at].kind = Box::Kind::Open;
        for (NodeId node : nodesOf({true, id})) view.boxOf[node] = kNone;
        std::vector<std::uint32_t> inside;
        const bool tooMany = folds && runs.size() > kMostInside;
        const std::size_t before = tooMany ? kMostInside / 2 : runs.size();
        const std::size_t after = tooMany ? runs.size() - kMostInside / 2 + 1 : runs.size();
        for (std::size_t i = 0; i < before; ++i) inside.push_back(addRun(runs[i]));
        if (tooMany) inside.push_back(addMore(runs, before, after));
        for (std::size_t i = after; i < runs.size(); ++i) inside.push_back(addRun(runs[i]));
        view.boxes[at].inside = std::move(inside);
    }

    std::uint32_t addMore(const std::vector<Run>& runs, std::size_t begin, std::size_t end) {
        Box box;
        box.kind = Box::Kind::More;
        box.nodes = 0;
        const std::uint32_t at = addBox(box);
        for (std::size_t i = begin; i < end; ++i) {
            for (const auto* list : {&runs[i].shown, &runs[i].hidden, &runs[i].last}) {
                for (Child child : *list) {
                    for (NodeId node : nodesOf(child)) {
                        view.boxOf[node] = at;
                        ++view.boxes[at].nodes;
                    }
                }
            }
        }
        return at;
    }

    std::uint32_t addRun(const Run& run) {
        for (std::size_t i = 0; i < run.last.size(); ++i) {
            const std::vector<NodeId> shown = nodesOf(run.shown[i]);
            const std::vector<NodeId> last = nodesOf(run.last[i]);
            for (std::size_t n = 0; n < std::min(shown.size(), last.size()); ++n) {
                alias[last[n]] = shown[n];
            }
        }
        if (run.shown.size() == 1) {
            const std::uint32_t at = addChild(run.shown[0]);
            view.boxes[at].times = run.times;
            view.boxes[at].inARow = run.inARow;
            return at;
        }
        Box group;
        group.kind = Box::Kind::Group;
        group.times = run.times;
        group.inARow = run.inARow;
        const std::uint32_t at = addBox(group);
        for (Child child : run.shown) {
            const std::uint32_t inner = addChild(child);
            view.boxes[at].inside.push_back(inner);
        }
        return at;
    }

    // ---- equal siblings

    std::vector<Run> runsOf(CompositeId id) const {
        const Composite& composite = graph.composites[id];
        const std::vector<Child> parts = partsOf(composite);
        if (folds && composite.kind == CompositeKind::Pipeline) return runsInARow(parts);
        if (folds && composite.kind == CompositeKind::SplitJoin) return runsSideBySide(composite);
        std::vector<Run> runs;
        for (Child part : parts) runs.push_back({{part}, 1, false, {}, {}});
        return runs;
    }

    std::vector<Run> runsInARow(const std::vector<Child>& parts) const {
        std::vector<Key> keys;
        for (Child part : parts) keys.push_back(looks[part]);
        std::vector<Run> runs;
        for (std::size_t i = 0; i < parts.size();) {
            std::size_t length = 1, times = 1;
            for (std::size_t p = 1; p <= kLongestPattern; ++p) {
                const std::size_t n = repetitions(keys, i, p);
                if (n >= kFewestEqual && n * p > length * times)
                    std::tie(length, times) = std::pair(p, n);
            }
            Run run;
            run.times = static_cast<std::int64_t>(times);
            run.inARow = times > 1;
            const auto at = parts.begin() + static_cast<std::ptrdiff_t>(i);
            const auto step = static_cast<std::ptrdiff_t>(length);
            const auto all = static_cast<std::ptrdiff_t>(length * times);
            run.shown.assign(at, at + step);
            if (times > 1) {
                run.hidden.assign(at + step, at + all - step);
                run.last.assign(at + all - step, at + all);
            }
            runs.push_back(std::move(run));
            i += length * times;
        }
        return runs;
    }

    static std::size_t repetitions(const std::vector<Key>& keys, std::size_t i, std::size_t p) {
        std::size_t same = 0;
        while (i + p + same < keys.size() && keys[i + same] == keys[i + p + same]) ++same;
        return same / p + 1;
    }

    /// The rates at which the composite's splitter and joiner serve a child belong to its looks.
    std::vector<Run> runsSideBySide(const Composite& composite) const {
        std::map<std::pair<bool, std::uint32_t>, Key> served;
        auto serve = [&](NodeId node, bool output) {
            if (node == kNone) return;
            const auto& edges = output ? graph.nodes[node].outputs : graph.nodes[node].inputs;
            for (std::size_t port = 0; port < edges.size(); ++port) {
                const Edge& edge = graph.edges[edges[port]];
                const NodeId inner = output ? edge.to : edge.from;
                if (inner == kNone || graph.nodes[node].weights.empty()) continue;
                const Child child = childOf(composite, inner);
                Key& key = served[{child.isComposite, child.id}];
                key = mix(key, static_cast<Key>(graph.nodes[node].weights[port]) * 2 + output);
            }
        };
        serve(composite.splitter, true);
        serve(composite.joiner, false);
        std::vector<Run> runs;
        if (composite.splitter != kNone)
            runs.push_back({{{false, composite.splitter}}, 1, false, {}, {}});
        std::map<std::pair<Key, Key>, std::vector<Child>> equal;
        for (Child child : composite.children) equal[keyOf(child, served)].push_back(child);
        for (Child child : composite.children) {
            std::vector<Child>& all = equal[keyOf(child, served)];
            if (all.size() < kFewestEqual) {
                runs.push_back({{child}, 1, false, {}, {}});
            } else if (all[0].id == child.id && all[0].isComposite == child.isComposite) {
                runs.push_back({{child},
                                static_cast<std::int64_t>(all.size()),
                                false,
                                {all.begin() + 1, all.end()},
                                {}});
            }
        }
        if (composite.joiner != kNone)
            runs.push_back({{{false, composite.joiner}}, 1, false, {}, {}});
        return runs;
    }

    std::pair<Key, Key> keyOf(Child child,
                              const std::map<std::pair<bool, std::uint32_t>, Key>& served) const {
        auto it = served.find({child.isComposite, child.id});
        return {looks[child], it == served.end() ? 0 : it->second};
    }

    Child childOf(const Composite& composite, NodeId node) const {
        const CompositeId self = composite.splitter != kNone
                                     ? graph.nodes[composite.splitter].parent
                                     : graph.nodes[composite.joiner].parent;
        CompositeId id = graph.nodes[node].parent;
        if (id == self) return {false, node};
        while (id != kNone && graph.composites[id].parent != self) id = graph.composites[id].parent;
        return {true, id};
    }

    // ---- lines

    std::uint32_t drawnAs(NodeId node) const {
        while (alias[node] != kNone) node = alias[node];
        return view.boxOf[node];
    }

    void addLines() {
        std::set<std::pair<std::uint32_t, std::uint32_t>> drawn;
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            const Edge& edge = graph.edges[id];
            if (edge.from == kNone || edge.to == kNone) continue;
            const std::uint32_t from = drawnAs(edge.from);
            const std::uint32_t to = view.boxOf[edge.to];
            if (from == kNone || to == kNone || alias[edge.to] != kNone || from == to) continue;
            if (folds && !drawn.emplace(from, to).second) continue;
            view.lines.push_back({from, to, id});
        }
        for (NodeId node = 0; node < alias.size(); ++node) {
            if (alias[node] != kNone) view.boxOf[node] = drawnAs(node);
        }
    }

    const Graph& graph;
    bool folds;
    std::size_t left;  ///< boxes that may still be added
    Looks looks;
    std::vector<NodeId> alias;  ///< of the last ones of a row: the shown ones
    std::vector<std::uint32_t> closed;
    View view;
};

}  // namespace

View makeView(const Graph& graph, const Annotations& notes, Folding folding) {
    return Viewer(graph, notes, folding).make();
}

}  // namespace strc::graph
