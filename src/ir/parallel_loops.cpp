// Rounds are independent if each writes places of its own and reads none that another writes. Places are sums of
// multiples of counters: they differ if, in the order of their steps, each step goes further than all smaller ones
// together (a number in a mixed radix has one form).

#include "ir/parallel_loops.h"

#include <algorithm>

namespace strc::ir {

std::int64_t Nest::trips() const {
    std::int64_t product = 1;
    for (const Induction& loop : loops) product *= loop.trips;
    return product;
}

namespace {

constexpr std::int64_t kMostTrips = std::int64_t{1} << 30;  ///< a thread's number is an int

struct Step {
    std::int64_t by = 0;  ///< bytes, no sign
    std::int64_t trips = 0;
    bool isOwn = false;  ///< of a loop of the nest
    bool operator<(const Step& other) const { return by < other.by; }
    bool operator==(const Step&) const = default;
};

/// Do iterations meet?
class Apart {
public:
    Apart(const Affine& known, const std::vector<Induction>& chosen)
        : affine(known), loops(chosen) {}

    bool areApart(const std::vector<Access>& all) const {
        const auto steps = ownSteps(all[0]);
        if (!steps) return false;
        std::int64_t least = INT64_MAX;
        for (auto [counter, by] : *steps) least = std::min(least, std::abs(by));
        std::vector<Step> large;
        std::int64_t low = INT64_MAX, high = INT64_MIN;
        for (const Access& access : all) {
            if (ownSteps(access) != steps ||
                access.address.offset.fixed != all[0].address.offset.fixed)
                return false;
            const auto far = farSteps(access, least, low, high);
            if (!far || (&access != &all[0] && *far != large)) return false;
            large = *far;
        }
        std::erase_if(large, [](const Step& step) { return step.trips < 0; });
        for (const Induction& loop : loops)
            large.push_back({std::abs(steps->at(loop.counter)), loop.trips, true});
        std::sort(large.begin(), large.end());
        std::int64_t span = high - low;
        for (const Step& step : large) {
            if (step.by < span) return false;
            span += step.by * (step.trips - 1);
        }
        return true;
    }

private:
    const Induction* own(std::uint32_t counter) const {
        for (const Induction& loop : loops)
            if (loop.counter == counter) return &loop;
        return nullptr;
    }

    /// The steps of the nest's loops, which all accesses have to share; empty: one of them has none.
    std::optional<std::map<std::uint32_t, std::int64_t>> ownSteps(const Access& access) const {
        std::map<std::uint32_t, std::int64_t> steps;
        for (const Induction& loop : loops) {
            auto found = access.address.offset.trips.find(loop.counter);
            if (found == access.address.offset.trips.end()) return std::nullopt;
            steps.insert(*found);
        }
        return steps;
    }

    /// Steps of inner loops that lead past what other iterations write; the others widen what this iteration touches.
    std::optional<std::vector<Step>> farSteps(const Access& access, std::int64_t least,
                                              std::int64_t& low, std::int64_t& high) const {
        std::vector<Step> far;
        std::int64_t from = access.address.offset.constant, to = from + access.size;
        for (auto [counter, by] : access.address.offset.trips) {
            if (own(counter)) continue;
            const Induction* loop = access.inner(counter);
            if (!loop) {
                // A loop around the nest: it stands still. All have to go with it alike.
                if (!affine.loop(counter)) return std::nullopt;
                far.push_back({by, -static_cast<std::int64_t>(counter), false});
                continue;
            }
            if (std::abs(by) >= least) {
                if (by < 0) return std::nullopt;
                far.push_back({by, loop->trips, false});
                continue;
            }
            (by < 0 ? from : to) += by * (loop->trips - 1);
        }
        low = std::min(low, from);
        high = std::max(high, to);
        std::sort(far.begin(), far.end());
        return far;
    }

    const Affine& affine;
    const std::vector<Induction>& loops;
};

/// Local arrays of which every iteration has its own; empty: iterations may meet in one of the others.
std::optional<std::vector<std::uint32_t>> ownArrays(const Body& body, const Affine& affine,
                                                    const std::vector<Induction>& loops,
                                                    const IterationAccesses& iteration) {
    std::vector<std::uint32_t> own(iteration.declared.begin(), iteration.declared.end());
    for (const auto& [name, all] : iteration.touched.accesses) {
        const bool isLocal = name.first == static_cast<int>(Space::Local);
        const bool isWritten =
            std::any_of(all.begin(), all.end(), [](const Access& a) { return a.writes; });
        if (!isWritten || (isLocal && iteration.declared.contains(name.second))) continue;
        if (!iteration.touched.unknown.contains(name) && Apart(affine, loops).areApart(all))
            continue;
        if (!isLocal || !isWrittenFirst(body, iteration, name.second)) return std::nullopt;
        own.push_back(name.second);
    }
    return own;
}

std::vector<Induction> severalTrips(const std::vector<Induction>& loops) {
    std::vector<Induction> several;
    for (const Induction& loop : loops)
        if (loop.trips > 1) several.push_back(loop);
    return several;
}

/// The accesses of the second nest, in terms of the loops of the first.
Touched renamed(const Touched& from, const std::vector<Induction>& own,
                const std::vector<Induction>& like) {
    Touched made = from;
    for (auto& [name, all] : made.accesses)
        for (Access& access : all) {
            std::map<std::uint32_t, std::int64_t>& trips = access.address.offset.trips;
            std::map<std::uint32_t, std::int64_t> moved;
            for (auto [counter, by] : trips) {
                std::uint32_t now = counter;
                for (std::size_t k = 0; k < own.size(); ++k)
                    if (own[k].counter == counter) now = like[k].counter;
                moved[now] += by;
            }
            trips = std::move(moved);
        }
    return made;
}

/// The one loop of a block in which everything else is pure: where the nest goes on.
const Instr* onlyLoop(const Body& body, BlockId id, std::span<const Instr>& before) {
    const auto& instrs = body.blocks[id].instrs;
    if (instrs.size() < 2 || instrs.back().op != Op::Loop) return nullptr;
    for (std::size_t k = 0; k + 1 < instrs.size(); ++k) {
        const Instr& instr = instrs[k];
        const bool isStart = k + 2 == instrs.size() && instr.op == Op::Store;
        const bool isHarmless = info(instr.op).effects == Effects::Pure || instr.op == Op::Load ||
                                (instr.op == Op::Elem && !instr.checked);
        if (!isStart && !isHarmless) return nullptr;
    }
    before = std::span(instrs).first(instrs.size() - 1);
    return &instrs.back();
}

/// The same, with scalars that each iteration stores before it loads them and that are not used behind the loop.
std::optional<std::vector<std::uint32_t>> ownLocals(const Body& body, const Affine& affine,
                                                    const std::vector<Induction>& loops,
                                                    const IterationAccesses& iteration,
                                                    const Instr& loop) {
    auto own = ownArrays(body, affine, loops, iteration);
    auto isShared = [&](std::uint32_t local) { return isUsedOutside(body, local, loop, nullptr); };
    if (!own || std::any_of(own->begin(), own->end(), isShared) ||
        std::any_of(iteration.scalars.begin(), iteration.scalars.end(), isShared))
        return std::nullopt;
    return own;
}

}  // namespace

bool isUsedOutside(const Body& body, std::uint32_t local, const Instr& loop, const Instr* begin) {
    int all = 0, within = 0;
    auto count = [local](int& counter) {
        return [&counter, local](const Instr& instr) {
            const bool isVariable =
                instr.op == Op::Load || instr.op == Op::Store || instr.op == Op::Addr;
            if (isVariable && instr.var == VarRef{Space::Local, local}) ++counter;
        };
    };
    forEach(body, body.entry, count(all));
    for (BlockId block : loop.blocks) forEach(body, block, count(within));
    if (begin && begin->var == VarRef{Space::Local, local}) ++within;
    return all != within;
}

Nest findParallelNest(const Body& body, Affine& affine, std::span<const Instr> before,
                      const Instr& loop, const std::set<std::uint32_t>& reduced) {
    struct Level {
        Induction counts;
        const Instr* loop;
    };
    std::vector<Level> levels;
    std::int64_t trips = 1;
    for (const Instr* next = &loop; next;) {
        const auto counts = affine.induction(before, *next);
        if (!counts || counts->trips < 1 || counts->trips > kMostTrips / trips ||
            isUsedOutside(body, counts->counter, *next, counts->begin))
            break;
        trips *= counts->trips;
        levels.push_back({*counts, next});
        affine.enter(*counts);
        next = onlyLoop(body, next->blocks[1], before);
    }
    Nest best;
    while (!levels.empty() && best.loops.empty()) {
        std::vector<Induction> loops;
        for (const Level& level : levels) loops.push_back(level.counts);
        loops = severalTrips(loops);
        const Instr& innermost = *levels.back().loop;
        auto iteration =
            accessesOfIteration(body, affine, innermost.blocks[1], Allowed::Elements, reduced);
        auto own = iteration ? ownLocals(body, affine, loops, *iteration, innermost) : std::nullopt;
        if (own && !loops.empty()) {
            for (const Level& level : levels) best.loops.push_back(level.counts);
            best.innermost = &innermost;
            best.own = std::move(*own);
            best.touched = std::move(iteration->touched);
        }
        affine.leave(levels.back().counts.counter);
        levels.pop_back();
    }
    while (!levels.empty()) {
        affine.leave(levels.back().counts.counter);
        levels.pop_back();
    }
    return best;
}

std::optional<ParallelLoop> findParallelLoop(const Body& body, Affine& affine,
                                             std::span<const Instr> before, const Instr& loop) {
    const auto counts = affine.induction(before, loop);
    if (!counts || counts->trips < 2 || counts->trips > kMostTrips ||
        isUsedOutside(body, counts->counter, loop, counts->begin))
        return std::nullopt;
    affine.enter(*counts);
    const auto iteration = accessesOfIteration(body, affine, loop.blocks[1], Allowed::WholeArrays);
    const auto arrays =
        iteration ? ownLocals(body, affine, {*counts}, *iteration, loop) : std::nullopt;
    affine.leave(counts->counter);
    if (!arrays) return std::nullopt;
    ParallelLoop trips{*counts, iteration->scalars};
    trips.own.insert(arrays->begin(), arrays->end());
    trips.own.insert(counts->counter);
    return trips;
}

bool joinNests(Nest& first, const Nest& second, const Affine& affine) {
    const std::vector<Induction> like = severalTrips(first.loops), own = severalTrips(second.loops);
    auto sameTrips = [](const Induction& a, const Induction& b) { return a.trips == b.trips; };
    if (!std::equal(like.begin(), like.end(), own.begin(), own.end(), sameTrips)) return false;
    Touched all = first.touched;
    const Touched more = renamed(second.touched, own, like);
    all.unknown.insert(more.unknown.begin(), more.unknown.end());
    auto writes = [](const std::vector<Access>& list) {
        return std::any_of(list.begin(), list.end(), [](const Access& a) { return a.writes; });
    };
    for (const auto& [name, list] : more.accesses) {
        std::vector<Access>& both = all.accesses[name];
        const bool isShared = !both.empty() || first.touched.unknown.contains(name);
        both.insert(both.end(), list.begin(), list.end());
        if (!isShared || !writes(both)) continue;
        if (all.unknown.contains(name) || !Apart(affine, like).areApart(both)) return false;
    }
    for (const auto& [name, list] : first.touched.accesses)
        if (more.unknown.contains(name) && writes(list)) return false;
    first.touched = std::move(all);
    first.own.insert(first.own.end(), second.own.begin(), second.own.end());
    return true;
}

}  // namespace strc::ir
