// The steady states of a chunk: many enough for their work to be worth a hand-over, few enough for near memory.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <utility>

#include "plan/detail/chunk.h"
#include "plan/marks.h"

namespace strc::plan {
namespace {

/// Work that takes a processor some 100 µs, and the least of it with which it is worth while to hand anything over.
constexpr double kWork = 1'000'000;
constexpr double kLeastWork = 30'000;
/// Caches of the second level, and of the third one, have that much for one thread. The least that is enough is taken.
constexpr std::array<std::int64_t, 4> kBytes{1 << 18, 1 << 20, 1 << 22, 1 << 24};
constexpr std::int64_t kMostFactor = 1 << 16;
constexpr std::int64_t kWholeVectors = 16;  ///< firings
/// A chunk can have a quarter of the steady states that it should have by the estimate.
constexpr std::int64_t kUsualSlices = 4;

std::int64_t divideUp(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Can slices of all steps be done before the next ones? Each node has to stand in one step, and what is moved, at the end.
bool canBeSliced(const std::vector<Step>& steps, std::int64_t slices) {
    std::set<NodeId> seen;
    bool isEnd = false;
    for (const Step& step : steps) {
        const bool moves = step.kind == StepKind::Move;
        isEnd = isEnd || moves;
        if (isEnd != moves || (moves ? step.inputs[0].base : step.count) % slices != 0)
            return false;
        for (const auto& [node, firings] : firingsOf({step}))
            if (!seen.insert(node).second) return false;
    }
    return true;
}

class ChunkPhases {
public:
    ChunkPhases(const graph::Graph& program, Scalable all) : graph(program), from(std::move(all)) {
        from.sequential.assign(from.sequential.size(), false);  // fused, they would be one section
    }

    /// The most steady states, up to `most`, whose buffers fit.
    Scaled within(std::int64_t bytes, std::int64_t most) const {
        Scaled best = by(1, bytes);
        if (best.factor == 0) return best;
        while (best.factor < most) {
            const std::int64_t factor = best.factor + (most - best.factor + 1) / 2;
            if (Scaled more = by(factor, bytes); more.factor != 0)
                best = std::move(more);
            else
                most = factor - 1;
        }
        const std::int64_t rest = best.factor % kWholeVectors;
        return rest == 0 || best.factor < kWholeVectors ? std::move(best)
                                                        : by(best.factor - rest, bytes);
    }

    /// `whole` in slices: as many firings of each node as make a vector, if there are as many.
    ChunkPhase inSlices(Scaled whole, const ChunkLength& length) const {
        const std::int64_t states = whole.factor;
        const std::int64_t vector = std::min(divideUp(kWholeVectors, length.fewest), states);
        const std::int64_t slice = rounded(std::max(states / kUsualSlices, vector));
        const std::int64_t slices = states / slice, most = length.most / slice;
        if (slices > 1) {
            Scaled all = by(slices * slice, kBytes.back());
            if (all.factor != 0 && canBeSliced(all.placed.steps, slices))
                return {std::move(all), {slice, slices, most}};
        }
        const bool canGrow = canBeSliced(whole.placed.steps, 1);
        return {std::move(whole), {states, 1, canGrow ? length.most / states : 1}};
    }

private:
    /// Several vectors are done at once: a multiple of a power of two, as long as it is no more than a quarter less, leaves none over.
    static std::int64_t rounded(std::int64_t slice) {
        if (slice < kWholeVectors) return slice;
        const auto quarter = std::bit_floor(static_cast<std::uint64_t>(slice) / 4);
        return slice - slice % std::max(static_cast<std::int64_t>(quarter), kWholeVectors);
    }

    Scaled by(std::int64_t factor, std::int64_t bytes) const {
        return scaledBy(graph, from, {true, true, false}, factor, bytes);
    }

    const graph::Graph& graph;
    Scalable from;
};

/// As many as were asked for, and no more: in at most as many slices as usual.
ChunkPhase inParts(Scaled whole) {
    const std::int64_t states = whole.factor;
    std::int64_t slices = kUsualSlices;
    while (slices > 1 && (states % slices != 0 || !canBeSliced(whole.placed.steps, slices)))
        slices /= 2;
    return {std::move(whole), {states / slices, slices, slices}};
}

}  // namespace

ChunkPhase chunked(const graph::Graph& graph, const Scalable& from, const ChunkLength& length) {
    const ChunkPhases phases(graph, from);
    if (length.states != 0)
        return inParts(phases.within(kBytes.back(), std::min(length.most, length.states)));
    const double once = length.work;
    if (once <= 0) return {};
    const auto enough =
        static_cast<std::int64_t>(std::clamp(kWork / once, 1.0, static_cast<double>(kMostFactor)));
    // Fewer than one thread does at once would be in vectors less often.
    const std::int64_t wanted = std::max(enough, from.factor);
    Scaled best;
    for (std::int64_t bytes : kBytes) {
        best = phases.within(bytes, std::min(length.most, wanted));
        if (once * static_cast<double>(best.factor) >= kWork / 4) break;
    }
    const bool isLittle = once * static_cast<double>(best.factor) < kLeastWork;
    if (best.factor == 0 || (isLittle && !length.always)) return {};
    return phases.inSlices(std::move(best), length);
}

std::int64_t fewestFirings(const graph::Repetitions& repetitions) {
    std::int64_t fewest = INT64_MAX;
    for (const std::int64_t firings : repetitions.steady)
        if (firings > 0) fewest = std::min(fewest, firings);
    return fewest;
}

}  // namespace strc::plan
