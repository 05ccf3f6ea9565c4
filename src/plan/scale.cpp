#include "plan/detail/scale.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/pass.h"
#include "base/trials.h"
#include "graph/components.h"
#include "graph/effects.h"
#include "plan/detail/feedback.h"
#include "plan/detail/fuse.h"
#include "plan/detail/gather.h"

namespace strc::plan {
namespace {

using graph::kNone;
using sched::Loop;
using Body = std::vector<Loop>;

/// The second level of caches of nearly every processor in use has at least so much.
constexpr std::int64_t kNearBytes = 512 * 1024;
/// What a firing reads should still be where the firing before put it, in the second level: half of it is for
/// channels, as code, fields and tables want room as well. What the first level holds is too few firings of
/// filters with long windows.
constexpr std::int64_t kFastBytes = kNearBytes / 2;
/// Firings in the lanes of items of 8 bytes.
constexpr std::int64_t kHalfWidth = kWidth / 2;
/// Fewer at once are not worth the larger buffers.
constexpr std::int64_t kFewest = 4;
/// In large graphs, whose phases take long to compile, only what lanes gain from is worth it.
constexpr std::size_t kLarge = 256;  ///< nodes
/// Beyond that the overhead of a phase is long invisible, and latency and the rest at an end of the
/// input, which goes one by one, grow: unless so much stays on channels that to move it takes longer than the rest.
constexpr std::int64_t kMostFactor = 1024;
constexpr std::int64_t kMostOfLong = 2048;
/// A device has memory enough, and each of its steps takes some microseconds; but the rest at the end of the input goes one
/// by one there, too, and an item may be so large that two of them are much.
constexpr std::int64_t kDeviceBytes = 32 * 1024 * 1024;
constexpr std::int64_t kMostOfDevice = 64;
constexpr std::int64_t kMostOfStreams = 1 << 17;
constexpr std::int64_t kFewestOfDevice = 2;

class Scaling {
public:
    Scaling(const graph::Graph& program, std::span<const std::int64_t> between, std::int64_t times,
            ScaleOptions wanted, const MessageOrder& order)
        : graph(program), held(between), factor(times), how(wanted), messages(order) {
        parts = componentsOf(graph, messages);
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
        Firings firings;
        for (std::size_t k = begin; k < end; ++k) count(list[k], 1, firings);
        std::vector<Loop> blocks;
        if (how.feedbackBlocks && !hasMail(feedback))
            blocks = feedbackInBlocks(graph, firings, held, factor);
        if (!blocks.empty()) {
            std::move(blocks.begin(), blocks.end(), std::back_inserter(to));
        } else if (end - begin == 1 && !list[begin].isLeaf()) {
            to.push_back(list[begin]);
            to.back().count *= factor;
        } else {
            Loop repeated;
            repeated.count = factor;
            repeated.children.assign(list.begin() + static_cast<std::ptrdiff_t>(begin),
                                     list.begin() + static_cast<std::ptrdiff_t>(end));
            to.push_back(std::move(repeated));
        }
        return appear(feedback);
    }

    bool hasMail(std::uint32_t part) const {
        return !messages.hasMail.empty() &&
               std::any_of(parts[part].begin(), parts[part].end(),
                           [this](NodeId node) { return messages.hasMail[node]; });
    }

    static void count(const Loop& loop, std::int64_t times, Firings& firings) {
        if (loop.isLeaf()) firings[loop.node] += times * loop.count;
        for (const Loop& child : loop.children) count(child, times * loop.count, firings);
    }

    /// Inner loops keep buffers short; without them each node has all its firings at a stretch.
    bool flattens(const Loop& loop) const {
        if (!how.flat || loop.isLeaf()) return false;
        return std::all_of(loop.children.begin(), loop.children.end(), [this](const Loop& child) {
            return child.isLeaf() ? !parts.loops[parts.of[child.node]] : flattens(child);
        });
    }

    bool flatten(const Loop& loop, std::int64_t times, Body& to) {
        times *= loop.count;
        if (!loop.isLeaf())
            return std::all_of(loop.children.begin(), loop.children.end(),
                               [&](const Loop& child) { return flatten(child, times, to); });
        Loop leaf = loop;
        leaf.count = times;
        to.push_back(std::move(leaf));
        return appear(parts.of[loop.node]);
    }

    bool scaleOne(const Loop& loop, Body& to) {
        if (flattens(loop)) return flatten(loop, factor, to);
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
        for (const graph::Edge& edge : graph.edges)
            if (edge.from != kNone && edge.to != kNone && !comeInOrder(edge.from, edge.to))
                return false;
        return std::all_of(
            messages.arrows.begin(), messages.arrows.end(),
            [this](const graph::Arrow& arrow) { return comeInOrder(arrow.from, arrow.to); });
    }

    bool comeInOrder(NodeId first, NodeId second) const {
        const std::uint32_t from = parts.of[first], to = parts.of[second];
        return from == to || (place[from] != kNone && place[from] <= place[to]);
    }

    const graph::Graph& graph;
    std::span<const std::int64_t> held;
    std::int64_t factor;
    ScaleOptions how;
    const MessageOrder& messages;
    graph::Components parts;
    std::vector<std::uint32_t> place;  ///< by component: its turn in the schedule
    std::uint32_t next = 0;
};

}  // namespace

std::optional<Loop> scaledSteady(const graph::Graph& graph, const Loop& steady,
                                 std::span<const std::int64_t> held, std::int64_t factor,
                                 ScaleOptions how, const MessageOrder& messages) {
    const bool isVisible =
        messages.isEmpty() ? hasVisibleOrder(graph) : hasVisibleOrderBesidesMessages(graph);
    if (isVisible) return std::nullopt;
    return Scaling(graph, held, factor, how, messages).run(steady);
}

namespace {

/// Each firing of a program without tensors may be a thread of a device.
bool isOfManyFirings(const graph::Graph& graph) {
    auto isTensor = [](const graph::Edge& edge) { return !edge.tensors.empty(); };
    return base::isTried("device-streams") &&
           std::none_of(graph.edges.begin(), graph.edges.end(), isTensor);
}

/// What stays on channels moves once a phase: as many steady states as items should share that.
std::int64_t mostFactor(const graph::Graph& graph, const Scalable& from) {
    if (from.forDevice) return isOfManyFirings(graph) ? kMostOfStreams : kMostOfDevice;
    const Begin& begin = from.begin;
    std::int64_t waiting = 0;
    for (EdgeId id = 0; id < begin.held.size() && waiting < kMostOfLong; ++id)
        if (begin.sharing->tapeOf(id) == id) waiting += std::min(begin.held[id], kMostOfLong);
    return std::clamp(waiting, kMostFactor, kMostOfLong);
}

/// The more it is, the more room may be taken.
std::int64_t mostBytes(const graph::Graph& graph, const Scalable& from) {
    if (from.forDevice) return kDeviceBytes;
    const Begin& begin = from.begin;
    std::int64_t waiting = 0;
    for (EdgeId id = 0; id < begin.held.size() && waiting < kNearBytes; ++id)
        if (begin.sharing->tapeOf(id) == id)
            waiting += std::min(begin.held[id], kNearBytes) * itemSize(graph, id);
    return std::clamp(2 * waiting, kFastBytes, kNearBytes);
}

bool hasFeedback(const graph::Graph& graph) {
    const graph::Components parts = componentsOf(graph, {});
    return std::find(parts.loops.begin(), parts.loops.end(), true) != parts.loops.end();
}

/// Whole groups of lanes. Where not all at once is possible that may come, parts of that of one length: the rest of a part
/// would go one by one.
std::int64_t evenFactor(std::int64_t factor, std::int64_t bound) {
    if (factor <= kWidth) return factor > kHalfWidth && factor < kWidth ? kHalfWidth : factor;
    factor -= factor % kWidth;
    while (bound % kWidth == 0 && bound <= kMostFactor && bound % factor != 0) factor -= kWidth;
    return factor;
}

/// What channels need beyond what waits in them anyway; grows with the factor.
std::int64_t bytesOf(const graph::Graph& graph, const Placed& placed, const Begin& begin) {
    std::int64_t sum = 0;
    for (EdgeId id = 0; id < placed.capacity.size(); ++id) {
        if (begin.sharing->tapeOf(id) != id) continue;
        const std::int64_t items = placed.capacity[id] - begin.held[id];
        if (items > kDeviceBytes) return items;
        sum += items * itemSize(graph, id);
    }
    return sum;
}

}  // namespace

Scaled scaledBy(const graph::Graph& graph, const Scalable& from, ScaleOptions how,
                std::int64_t factor, std::int64_t mostBytes) {
    const Begin& begin = from.begin;
    auto tree = scaledSteady(graph, *from.steady, from.between, factor, how, from.messages);
    if (!tree) return {};
    *tree = begin.sharing->withoutGone(*tree);
    if (how.gathers) gatherReaders(graph, *begin.sharing, from.sequential, *tree);
    fuse(from.sequential, *tree);
    Placed placed = place(graph, *tree, {begin.held, begin.reads * factor, false, begin.sharing});
    if (bytesOf(graph, placed, begin) > mostBytes) return {};
    return {factor, std::move(placed)};
}

namespace {

/// The most steady states whose buffers fit.
Scaled mostScaled(const graph::Graph& graph, const Scalable& from, ScaleOptions how,
                  std::int64_t bound) {
    const std::int64_t usual = mostBytes(graph, from);
    auto scaledBy = [&](std::int64_t factor, std::int64_t limit) {
        return plan::scaledBy(graph, from, how, factor, limit);
    };
    const std::int64_t fewest = from.forDevice                ? kFewestOfDevice
                                : graph.nodes.size() > kLarge ? kWidth
                                                              : kFewest;
    if (bound < std::min(fewest, kFewest)) return {};
    Scaled best = scaledBy(2, usual);
    std::int64_t most = best.factor == 0 ? 0 : std::min(mostFactor(graph, from), bound);
    while (best.factor < most) {
        const std::int64_t factor = best.factor + (most - best.factor + 1) / 2;
        if (Scaled more = scaledBy(factor, usual); more.factor != 0)
            best = std::move(more);
        else
            most = factor - 1;
    }
    if (best.factor < fewest) return {};
    const std::int64_t whole = best.factor < kHalfWidth ? kHalfWidth : kWidth;
    if (best.factor < whole && whole <= bound && !from.forDevice)
        if (Scaled more = scaledBy(whole, std::max(usual, kNearBytes)); more.factor != 0)
            return more;
    const std::int64_t even = evenFactor(best.factor, bound);
    return even == best.factor ? best : scaledBy(even, usual);
}

/// Is there something to fuse?
bool hasNeighbours(const graph::Graph& graph, const Scalable& from, bool blocks) {
    auto tree =
        scaledSteady(graph, *from.steady, from.between, kMostFactor, {true, blocks}, from.messages);
    if (!tree) return false;
    const Loop before = *tree = from.begin.sharing->withoutGone(*tree);
    fuse(from.sequential, *tree);
    return before != *tree;
}

}  // namespace

Scaled scale(base::Context& context, const graph::Graph& graph, std::int64_t most, Scalable from) {
    base::PassRun run(context.passes, base::Pass::Scaling, "the steady state");
    if (!run) return {};
    const bool blocks =
        hasFeedback(graph) &&
        base::PassRun(context.passes, base::Pass::FeedbackBlocks, "the steady state");
    if (!hasNeighbours(graph, from, blocks) ||
        !base::PassRun(context.passes, base::Pass::Fusion, "the steady state"))
        from.sequential.assign(from.sequential.size(), false);
    const bool gathers = context.passes.isEnabled(base::Pass::ShareTransposes);
    if (from.factor != 0)
        return scaledBy(graph, from, {true, blocks, gathers}, from.factor, INT64_MAX);
    Scaled nested = mostScaled(graph, from, {false, blocks, gathers}, most);
    Scaled flat = mostScaled(graph, from, {true, blocks, gathers}, most);
    return flat.factor >= kHalfWidth || flat.factor >= (nested.factor + 1) / 2 ? std::move(flat)
                                                                               : std::move(nested);
}

}  // namespace strc::plan
