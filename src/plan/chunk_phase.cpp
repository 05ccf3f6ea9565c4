// The steady states of a chunk: many enough for their work to be worth a hand-over, few enough for near memory.
#include <algorithm>
#include <array>
#include <utility>

#include "plan/detail/chunk.h"

namespace strc::plan {
namespace {

/// Work that takes a processor some 100 µs, and the least of it with which it is worth while to hand anything over.
constexpr double kWork = 1'000'000;
constexpr double kLeastWork = 30'000;
/// Caches of the second level, and of the third one, have that much for one thread. The least that is enough is taken.
constexpr std::array<std::int64_t, 4> kBytes{1 << 18, 1 << 20, 1 << 22, 1 << 24};
constexpr std::int64_t kMostFactor = 1 << 16;
constexpr std::int64_t kWholeVectors = 16;  ///< firings

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

private:
    Scaled by(std::int64_t factor, std::int64_t bytes) const {
        return scaledBy(graph, from, {true, true, false}, factor, bytes);
    }

    const graph::Graph& graph;
    Scalable from;
};

}  // namespace

Scaled chunked(const graph::Graph& graph, std::int64_t most, const Scalable& from, double once,
               std::int64_t states) {
    const ChunkPhases phases(graph, from);
    if (states != 0) return phases.within(kBytes.back(), std::min(most, states));
    if (once <= 0) return {};
    const auto enough =
        static_cast<std::int64_t>(std::clamp(kWork / once, 1.0, static_cast<double>(kMostFactor)));
    // Fewer than one thread does at once would be in vectors less often.
    const std::int64_t wanted = std::max(enough, from.factor);
    Scaled best;
    for (std::int64_t bytes : kBytes) {
        best = phases.within(bytes, std::min(most, wanted));
        if (once * static_cast<double>(best.factor) >= kWork / 4) break;
    }
    return once * static_cast<double>(best.factor) >= kLeastWork ? std::move(best) : Scaled{};
}

}  // namespace strc::plan
