#include "plan/scale.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "graph/components.h"

namespace strc::plan {
namespace {

using graph::kNone;
using sched::Loop;
using Body = std::vector<Loop>;

/// What a firing reads should still be where the firing before put it: the first level data cache of
/// nearly every processor in use has at least so much.
constexpr std::int64_t kFastBytes = 32 * 1024;
/// Beyond that the overhead of a phase is long invisible, and latency and the rest at an end of the
/// input, which goes one by one, grow.
constexpr std::int64_t kMostFactor = 1024;

bool hasVisibleOrder(const graph::Graph& graph) {
    std::map<std::uint8_t, int> nodesWith;
    std::set<std::string> files;
    for (const graph::Node& node : graph.nodes) {
        for (std::uint8_t effect :
             {graph::kPrints, graph::kRandom, graph::kNative, graph::kSends}) {
            if ((node.effects & effect) && ++nodesWith[effect] > 1) return true;
        }
        if ((node.effects & graph::kWritesFile) && !files.insert(node.file).second) return true;
    }
    return false;
}

class Scaling {
public:
    Scaling(const graph::Graph& program, std::int64_t times) : graph(program), factor(times) {
        std::vector<graph::Arrow> arrows;
        for (const graph::Edge& edge : graph.edges) {
            if (edge.from != kNone && edge.to != kNone) arrows.push_back({edge.from, edge.to});
        }
        parts = graph::findComponents(static_cast<std::uint32_t>(graph.nodes.size()), arrows);
        place.assign(parts.size(), kNone);
    }

    std::optional<Loop> run(const Loop& steady) {
        Loop result = steady;
        result.children.clear();
        if (!scaleList(steady.children, result.children) || !isInOrder()) return std::nullopt;
        return result;
    }

private:
    /// The feedback loop that all of it belongs to, or kNone.
    std::uint32_t feedbackOf(const Loop& loop) const {
        if (loop.isLeaf()) {
            const std::uint32_t part = parts.of[loop.node];
            return parts.loops[part] ? part : kNone;
        }
        const std::uint32_t part = feedbackOf(loop.children.front());
        for (const Loop& child : loop.children) {
            if (part == kNone || feedbackOf(child) != part) return kNone;
        }
        return part;
    }

    bool appear(std::uint32_t part) {
        const bool isNew = place[part] == kNone;
        place[part] = next++;
        return isNew;
    }

    bool scaleList(const Body& list, Body& to) {
        for (std::size_t i = 0; i < list.size();) {
            const std::uint32_t feedback = feedbackOf(list[i]);
            std::size_t end = i + 1;
            while (feedback != kNone && end < list.size() && feedbackOf(list[end]) == feedback)
                ++end;
            const bool fine =
                feedback != kNone ? repeatLoop(list, i, end, feedback, to) : scaleOne(list[i], to);
            if (!fine) return false;
            i = end;
        }
        return true;
    }

    bool repeatLoop(const Body& list, std::size_t begin, std::size_t end, std::uint32_t feedback,
                    Body& to) {
        if (end - begin == 1 && !list[begin].isLeaf()) {
            to.push_back(list[begin]);
            to.back().count *= factor;
        } else {
            Loop rounds;
            rounds.count = factor;
            rounds.children.assign(list.begin() + static_cast<std::ptrdiff_t>(begin),
                                   list.begin() + static_cast<std::ptrdiff_t>(end));
            to.push_back(std::move(rounds));
        }
        return appear(feedback);
    }

    bool scaleOne(const Loop& loop, Body& to) {
        Loop made;
        made.count = loop.count;
        made.node = loop.node;
        if (loop.isLeaf()) {
            made.count *= factor;
            to.push_back(std::move(made));
            return appear(parts.of[loop.node]);
        }
        if (!scaleList(loop.children, made.children)) return false;
        to.push_back(std::move(made));
        return true;
    }

    /// What is fired first may run ahead as far as it likes.
    bool isInOrder() const {
        for (const graph::Edge& edge : graph.edges) {
            if (edge.from == kNone || edge.to == kNone) continue;
            const std::uint32_t from = parts.of[edge.from];
            const std::uint32_t to = parts.of[edge.to];
            if (from != to && (place[from] == kNone || place[from] > place[to])) return false;
        }
        return true;
    }

    const graph::Graph& graph;
    std::int64_t factor;
    graph::Components parts;
    std::vector<std::uint32_t> place;  ///< by component: its turn in the schedule
    std::uint32_t next = 0;
};

/// Grows with the factor.
std::int64_t bytesOf(const graph::Graph& graph, const Placed& placed) {
    std::int64_t sum = 0;
    for (EdgeId id = 0; id < placed.capacity.size(); ++id) {
        if (placed.capacity[id] > kFastBytes) return placed.capacity[id];
        sum += placed.capacity[id] * itemSize(graph, id);
    }
    return sum;
}

}  // namespace

std::optional<Loop> scaledSteady(const graph::Graph& graph, const Loop& steady,
                                 std::int64_t factor) {
    if (hasVisibleOrder(graph)) return std::nullopt;
    return Scaling(graph, factor).run(steady);
}

Scaled scale(const graph::Graph& graph, const Loop& steady, const Begin& begin) {
    Scaled best;
    std::int64_t most = kMostFactor;
    for (std::int64_t factor = 2; best.factor < most;
         factor = best.factor + (most - best.factor + 1) / 2) {
        const auto tree = scaledSteady(graph, steady, factor);
        if (!tree) return best;
        Placed placed = place(graph, *tree, {begin.held, begin.reads * factor});
        if (bytesOf(graph, placed) <= kFastBytes) {
            best = {factor, std::move(placed)};
        } else if (factor == 2) {
            return best;
        } else {
            most = factor - 1;
        }
    }
    return best;
}

}  // namespace strc::plan
