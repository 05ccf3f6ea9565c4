#include "plan/detail/arena.h"

#include <algorithm>

#include "plan/detail/layout.h"

namespace strc::plan {
namespace {

/// Bytes of a tape below which memory of its own does no harm, and more of them than that are not compared with
/// each other: that takes the square of their number.
constexpr std::int64_t kLeastBytes = 1024;
constexpr std::size_t kMostTapes = 8192;
/// Larger ones cannot be had.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

class Uses {
public:
    explicit Uses(const Plan& made) : plan(made), found(made.channels.size()) {
        for (const Phase* phase : {&plan.init, &plan.steady, &plan.scaled}) {
            step = 0;
            look(phase->steps);
            ++at;
        }
        if (plan.chunk) look(*plan.chunk);
        ++at;
        // Threads may be at any two partitions at the same time.
        if (plan.partitioning)
            for (const Partition& partition : plan.partitioning->partitions)
                for (const Step& each : partition.steps) look(each);
        for (const Channel& channel : plan.channels) found[channel.edge] = found[channel.tape];
    }

    std::vector<LiveRange> take() { return std::move(found); }

private:
    void look(const std::vector<Step>& steps) {
        for (const Step& each : steps) {
            look(each);
            ++step;
        }
    }

    void look(const Chunk& chunk) {
        std::vector<std::int64_t> begins;  // of segments
        step = 0;
        for (const Segment& segment : chunk.segments) {
            begins.push_back(step);
            look(segment.steps);
        }
        begins.push_back(step);
        if (chunk.slices > 1)
            for (LiveRange& range : found) widen(range.phases[at], begins);
    }

    /// Steps of a segment are done slice by slice, so items that go to another segment lie there during all of both. Those of other tapes
    /// are gone at the end of each slice.
    static void widen(Interval& interval, const std::vector<std::int64_t>& begins) {
        if (interval.isEmpty()) return;
        const auto behind = [&](std::int64_t at) {
            return std::upper_bound(begins.begin(), begins.end(), at);
        };
        const auto first = behind(interval.first), last = behind(interval.last);
        if (first == last) return;
        interval.first = *(first - 1);
        interval.last = *last - 1;
    }

    void look(const Step& what) {
        if (what.kind == StepKind::Loop) {
            for (const Step& inner : what.body) look(inner);
        } else if (what.kind == StepKind::Fire || what.kind == StepKind::Part) {
            for (EdgeId edge : plan.inputsOf(what.node)) touch(edge);
            for (EdgeId edge : plan.outputsOf(what.node)) touch(edge);
        } else {
            touch(what.channel);
        }
    }

    void touch(EdgeId edge) {
        Interval& interval = found[plan.channels[edge].tape].phases[at];
        if (interval.isEmpty()) interval.first = step;
        interval.last = step;
    }

    const Plan& plan;
    std::vector<LiveRange> found;
    std::size_t at = 0;  ///< the phase
    std::int64_t step = 0;
};

std::int64_t aligned(std::int64_t size) {
    return (size + kChannelAlignment - 1) / kChannelAlignment * kChannelAlignment;
}

struct ArenaTape {
    EdgeId edge = graph::kNone;
    std::int64_t size = 0;
    std::int64_t offset = -1;
};

bool isBefore(const ArenaTape* a, const ArenaTape* b) { return a->offset < b->offset; }

/// The beginning of the smallest gap between tapes in use that has room, or the end of them; both in order of offsets.
std::int64_t bestFit(const std::vector<const ArenaTape*>& inUse, std::int64_t size) {
    std::int64_t best = -1, room = 0, end = 0;
    for (const ArenaTape* tape : inUse) {
        const std::int64_t gap = tape->offset - end;
        if (gap >= size && (best < 0 || gap < room)) {
            best = end;
            room = gap;
        }
        end = std::max(end, tape->offset + tape->size);
    }
    return best >= 0 ? best : end;
}

}  // namespace

bool LiveRange::overlaps(const LiveRange& other) const {
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const Interval &a = phases[k], &b = other.phases[k];
        if (!a.isEmpty() && !b.isEmpty() && a.first <= b.last && b.first <= a.last) return true;
    }
    return false;
}

std::vector<LiveRange> liveRanges(const Plan& plan) { return Uses(plan).take(); }

bool canShare(const Plan& plan, EdgeId id) {
    const Channel& channel = plan.channels[id];
    return plan.tapes == Tapes::Linear && !plan.demand && channel.tape == id &&
           channel.retained == 0 && channel.start == 0 && channel.itemSize >= kLeastBytes &&
           channel.capacity <= kMostBytes / channel.itemSize &&
           plan.program->graph.edges[id].initial.empty();
}

std::int64_t placeShared(Plan& plan, std::int64_t begin) {
    std::vector<ArenaTape> tapes;
    for (const Channel& channel : plan.channels)
        if (canShare(plan, channel.edge))
            tapes.push_back({channel.edge, aligned(channel.capacity * channel.itemSize), -1});
    std::stable_sort(tapes.begin(), tapes.end(),
                     [](const ArenaTape& a, const ArenaTape& b) { return a.size > b.size; });
    const std::vector<LiveRange> ranges = liveRanges(plan);
    std::vector<const ArenaTape*> placed;  // in order of offsets
    std::int64_t end = 0;
    for (ArenaTape& tape : tapes) {
        tape.offset = end;
        if (placed.size() < kMostTapes) {
            std::vector<const ArenaTape*> inUse;
            for (const ArenaTape* other : placed)
                if (ranges[other->edge].overlaps(ranges[tape.edge])) inUse.push_back(other);
            tape.offset = bestFit(inUse, tape.size);
            placed.insert(std::upper_bound(placed.begin(), placed.end(), &tape, isBefore), &tape);
        }
        end = std::max(end, tape.offset + tape.size);
        plan.channels[tape.edge].offset = begin + tape.offset;
    }
    return begin + end;
}

}  // namespace strc::plan
