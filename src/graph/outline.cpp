#include "graph/outline.h"

#include <algorithm>

#include "base/assert.h"

namespace strc::graph {
namespace {

struct Pending {
    Child child;
    std::uint32_t depth = 0;
    bool leaving = false;
};

std::vector<OutlineItem> walk(const Graph& graph, std::vector<Child> roots) {
    std::vector<OutlineItem> items;
    std::vector<Pending> stack;
    for (auto it = roots.rbegin(); it != roots.rend(); ++it) stack.push_back({*it, 0, false});
    while (!stack.empty()) {
        const Pending next = stack.back();
        stack.pop_back();
        if (!next.child.isComposite) {
            items.push_back({OutlineItem::Kind::Node, next.child.id, next.depth});
            continue;
        }
        if (next.leaving) {
            items.push_back({OutlineItem::Kind::Leave, next.child.id, next.depth});
            continue;
        }
        items.push_back({OutlineItem::Kind::Enter, next.child.id, next.depth});
        stack.push_back({next.child, next.depth, true});
        const std::vector<Child> parts = partsOf(graph.composites[next.child.id]);
        for (auto it = parts.rbegin(); it != parts.rend(); ++it) {
            stack.push_back({*it, next.depth + 1, false});
        }
    }
    return items;
}

}  // namespace

std::vector<OutlineItem> outline(const Graph& graph) {
    std::vector<Child> roots;
    for (CompositeId id = 0; id < graph.composites.size(); ++id) {
        if (graph.composites[id].parent == kNone) roots.push_back({true, id});
    }
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        if (graph.nodes[id].parent == kNone) roots.push_back({false, id});
    }
    return walk(graph, roots);
}

std::vector<OutlineItem> outline(const Graph& graph, Child root) { return walk(graph, {root}); }

std::vector<Child> partsOf(const Composite& composite) {
    std::vector<Child> parts;
    auto add = [&](NodeId node) {
        if (node != kNone) parts.push_back({false, node});
    };
    switch (composite.kind) {
        case CompositeKind::Pipeline: return composite.children;
        case CompositeKind::SplitJoin:
            add(composite.splitter);
            parts.insert(parts.end(), composite.children.begin(), composite.children.end());
            add(composite.joiner);
            return parts;
        case CompositeKind::FeedbackLoop:
            add(composite.joiner);
            if (!composite.children.empty()) parts.push_back(composite.children[0]);
            add(composite.splitter);
            if (composite.children.size() > 1) parts.push_back(composite.children[1]);
            return parts;
    }
    STRC_UNREACHABLE("kind of composite");
}

std::string rateText(const Rate& rate) {
    auto bound = [](std::int64_t value) {
        return value == kUnbounded ? std::string("*") : std::to_string(value);
    };
    if (!rate.dynamic) return bound(rate.max);
    if (rate.min == 0 && rate.max == kUnbounded && rate.average < 0) return "*";
    const std::string average = rate.average < 0 ? "" : ", " + std::to_string(rate.average);
    return '[' + bound(rate.min) + average + ", " + bound(rate.max) + ']';
}

std::string ratesText(const Rates& rates) {
    std::string text;
    auto add = [&](const char* name, const Rate& rate) {
        text += (text.empty() ? "" : " ") + std::string(name) + ' ' + rateText(rate);
    };
    auto isZero = [](const Rate& rate) { return !rate.dynamic && rate.max == 0; };
    if (!(rates.peek == rates.pop) && !isZero(rates.peek)) add("peek", rates.peek);
    if (!isZero(rates.pop)) add("pop", rates.pop);
    if (!isZero(rates.push)) add("push", rates.push);
    return text;
}

std::string weightsText(const Node& node, std::size_t most) {
    if (node.kind == NodeKind::Duplicate) return "duplicate";
    const auto& weights = node.weights;
    const bool equal = std::all_of(weights.begin(), weights.end(),
                                   [&](std::int64_t weight) { return weight == weights[0]; });
    if (equal && !weights.empty()) return "roundrobin(" + std::to_string(weights[0]) + ')';
    std::string text = "roundrobin(";
    for (std::size_t i = 0; i < weights.size() && i < most; ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(weights[i]);
    }
    return text + (weights.size() > most ? ", …)" : ")");
}

std::vector<std::string> effectNames(std::uint8_t effects) {
    std::vector<std::string> names;
    if (effects & kPrints) names.push_back("prints");
    if (effects & kRandom) names.push_back("random");
    if (effects & kNative) names.push_back("native");
    if (effects & kWritesFile) names.push_back("writes");
    if (effects & kSends) names.push_back("sends");
    return names;
}

}  // namespace strc::graph
