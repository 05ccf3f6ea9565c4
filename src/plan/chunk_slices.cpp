// More slices than the estimate asks for. A phase of a chunk is flat, so where items lie is linear in the slice: nothing is placed
// anew for them, and only tapes become longer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "plan/detail/chunk.h"

namespace strc::plan {
namespace {

using graph::kNone;

/// The estimate is that of scalar code, and several times too high where loops become vectors: up to so many times the usual slices, as
/// long as tapes that lie there for all of them need no more bytes than a near cache has.
constexpr std::int64_t kMostTimes = 16;
constexpr std::int64_t kMostNearBytes = 1 << 19;

/// Where a chunk touches a tape.
struct Use {
    bool isTouched = false, isOneSegment = true, isRegular = true;
    std::size_t segment = 0;
    std::size_t firstReader = SIZE_MAX;  ///< its segment
    std::int64_t perSlice =
        0;  ///< items; the same for all that read and write there, if it is regular
};

class Slices {
public:
    Slices(Plan& made, Chunk& of) : plan(made), chunk(of), uses(made.channels.size()) {
        for (std::size_t k = 0; k < chunk.segments.size(); ++k)
            forEachPlace(k, [&](EdgeId tape, Position& place, bool writes) {
                note(uses[tape], k, place, writes);
            });
    }

    void take(const std::vector<Channel>& before, const std::vector<std::int64_t>& capacity,
              std::int64_t most) {
        const std::int64_t usual = chunk.slices;
        while (chunk.slices < usual * kMostTimes && chunk.slices * 2 <= most &&
               bytesFor(chunk.slices * 2, capacity) <= kMostNearBytes)
            chunk.slices *= 2;
        for (EdgeId tape = 0; tape < uses.size(); ++tape)
            if (uses[tape].isTouched)
                plan.channels[tape].capacity =
                    std::max(before[tape].capacity, itemsFor(chunk.slices, tape, capacity));
        for (std::size_t k = 0; k < chunk.segments.size(); ++k)
            forEachPlace(k, [&](EdgeId tape, Position& place, bool) {
                if (isGone(tape)) place.perIteration.front() = 0;
            });
    }

    bool areRegular() const {
        return std::all_of(uses.begin(), uses.end(), [](const Use& use) { return use.isRegular; });
    }

private:
    template <typename Do>
    void forEachPlace(std::size_t segment, Do act) {
        for (Step& step : chunk.segments[segment].steps) forEachPlace(step, act);
    }

    template <typename Do>
    void forEachPlace(Step& step, Do act) {
        for (Step& inner : step.body) forEachPlace(inner, act);
        const bool fires = step.kind == StepKind::Fire;
        auto all = [&](std::vector<Position>& places, const auto& edges, bool writes) {
            for (std::size_t port = 0; port < places.size(); ++port)
                act(plan.channels[fires ? edges[port] : step.channel].tape, places[port], writes);
        };
        const auto none = std::vector<EdgeId>{};
        all(step.inputs, fires ? plan.inputsOf(step.node) : none, false);
        all(step.outputs, fires ? plan.outputsOf(step.node) : none, true);
    }

    static void note(Use& use, std::size_t segment, const Position& place, bool writes) {
        // What waits in a feedback loop of several segments suffices for the usual slices alone.
        if (!writes)
            use.firstReader = std::min(use.firstReader, segment);
        else if (use.firstReader < segment)
            use.isRegular = false;
        if (place.perIteration.empty()) {
            use.isRegular = false;
            return;
        }
        const std::int64_t items = place.perIteration.front();
        if (use.isTouched) {
            use.isOneSegment = use.isOneSegment && use.segment == segment;
            use.isRegular = use.isRegular && use.perSlice == items;
        }
        use.isTouched = true;
        use.segment = segment;
        use.perSlice = items;
    }

    /// Nothing lies there from one slice to the next, so all slices can use the same place.
    bool isGone(EdgeId tape) const {
        return uses[tape].isTouched && uses[tape].isOneSegment &&
               plan.channels[tape].retained == 0 && plan.channels[tape].start == 0;
    }

    /// `capacity`: of the usual ones.
    std::int64_t itemsFor(std::int64_t slices, EdgeId tape,
                          const std::vector<std::int64_t>& capacity) const {
        const std::int64_t more = (isGone(tape) ? 1 : slices) - chunk.usual;
        return capacity[tape] + more * uses[tape].perSlice;
    }

    std::int64_t bytesFor(std::int64_t slices, const std::vector<std::int64_t>& capacity) const {
        std::int64_t sum = 0;
        for (EdgeId tape = 0; tape < uses.size(); ++tape)
            if (uses[tape].isTouched && !isGone(tape))
                sum += itemsFor(slices, tape, capacity) * plan.channels[tape].itemSize;
        return sum;
    }

    Plan& plan;
    Chunk& chunk;
    std::vector<Use> uses;  ///< by tape
};

bool moves(const Chunk& chunk) {
    for (const Segment& segment : chunk.segments)
        for (const Step& step : segment.steps)
            if (step.kind == StepKind::Move) return true;
    return false;
}

}  // namespace

void takeMoreSlices(Plan& plan, Chunk& chunk, const std::vector<Channel>& before,
                    const std::vector<std::int64_t>& capacity, std::int64_t most) {
    if (most <= chunk.slices || moves(chunk)) return;
    Slices slices(plan, chunk);
    if (slices.areRegular()) slices.take(before, capacity, most);
}

}  // namespace strc::plan
