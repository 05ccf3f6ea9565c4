// Rounds are independent if each writes places of its own and reads none that another writes. Places are sums of
// multiples of counters: they differ if, in the order of their steps, each step goes further than all smaller ones
// together (a number in a mixed radix has one form).

#include "ir/independent.h"

#include <algorithm>

namespace strc::ir {

std::int64_t Nest::rounds() const {
    std::int64_t product = 1;
    for (const Counted& loop : loops) product *= loop.rounds;
    return product;
}

namespace {

constexpr std::int64_t kMostRounds = std::int64_t{1} << 30;  ///< a thread's number is an int

struct Step {
    std::int64_t by = 0;  ///< bytes, no sign
    std::int64_t rounds = 0;
    bool isOwn = false;  ///< of a loop of the nest
    bool operator<(const Step& other) const { return by < other.by; }
    bool operator==(const Step&) const = default;
};

/// Do rounds meet?
class Apart {
public:
    Apart(const Affine& known, const std::vector<Counted>& chosen) : affine(known), loops(chosen) {}

    bool areApart(const std::vector<Access>& all) const {
        const auto steps = ownSteps(all[0]);
        if (!steps) return false;
        std::int64_t least = INT64_MAX;
        for (auto [counter, by] : *steps) least = std::min(least, std::abs(by));
        std::vector<Step> large;
        std::int64_t low = INT64_MAX, high = INT64_MIN;
        for (const Access& access : all) {
            if (ownSteps(access) != steps || access.spot.offset.fixed != all[0].spot.offset.fixed)
                return false;
            const auto far = farSteps(access, least, low, high);
            if (!far || (&access != &all[0] && *far != large)) return false;
            large = *far;
        }
        std::erase_if(large, [](const Step& step) { return step.rounds < 0; });
        for (const Counted& loop : loops)
            large.push_back({std::abs(steps->at(loop.counter)), loop.rounds, true});
        std::sort(large.begin(), large.end());
        std::int64_t span = high - low;
        for (const Step& step : large) {
            if (step.by < span) return false;
            span += step.by * (step.rounds - 1);
        }
        return true;
    }

private:
    const Counted* own(std::uint32_t counter) const {
        for (const Counted& loop : loops)
            if (loop.counter == counter) return &loop;
        return nullptr;
    }

    /// The steps of the nest's loops, which all accesses have to share; empty: one of them has none.
    std::optional<std::map<std::uint32_t, std::int64_t>> ownSteps(const Access& access) const {
        std::map<std::uint32_t, std::int64_t> steps;
        for (const Counted& loop : loops) {
            auto found = access.spot.offset.rounds.find(loop.counter);
            if (found == access.spot.offset.rounds.end()) return std::nullopt;
            steps.insert(*found);
        }
        return steps;
    }

    /// Steps of inner loops that lead past what other rounds write; the others widen what this round touches.
    std::optional<std::vector<Step>> farSteps(const Access& access, std::int64_t least,
                                              std::int64_t& low, std::int64_t& high) const {
        std::vector<Step> far;
        std::int64_t from = access.spot.offset.constant, to = from + access.size;
        for (auto [counter, by] : access.spot.offset.rounds) {
            if (own(counter)) continue;
            const Counted* loop = access.inner(counter);
            if (!loop) {
                // A loop around the nest: it stands still. All have to go with it alike.
                if (!affine.loop(counter)) return std::nullopt;
                far.push_back({by, -static_cast<std::int64_t>(counter), false});
                continue;
            }
            if (std::abs(by) >= least) {
                if (by < 0) return std::nullopt;
                far.push_back({by, loop->rounds, false});
                continue;
            }
            (by < 0 ? from : to) += by * (loop->rounds - 1);
        }
        low = std::min(low, from);
        high = std::max(high, to);
        std::sort(far.begin(), far.end());
        return far;
    }

    const Affine& affine;
    const std::vector<Counted>& loops;
};

/// Local arrays of which every round has its own; empty: rounds may meet in one of the others.
std::optional<std::vector<std::uint32_t>> ownArrays(const Body& body, const Affine& affine,
                                                    const std::vector<Counted>& loops,
                                                    const Round& round) {
    std::vector<std::uint32_t> own(round.born.begin(), round.born.end());
    for (const auto& [name, all] : round.touched.accesses) {
        const bool isLocal = name.first == static_cast<int>(Space::Local);
        const bool isWritten =
            std::any_of(all.begin(), all.end(), [](const Access& a) { return a.writes; });
        if (!isWritten || (isLocal && round.born.contains(name.second))) continue;
        if (!round.touched.unclear.contains(name) && Apart(affine, loops).areApart(all)) continue;
        if (!isLocal || !isWrittenFirst(body, round, name.second)) return std::nullopt;
        own.push_back(name.second);
    }
    return own;
}

std::vector<Counted> severalRounds(const std::vector<Counted>& loops) {
    std::vector<Counted> several;
    for (const Counted& loop : loops)
        if (loop.rounds > 1) several.push_back(loop);
    return several;
}

/// The accesses of the second nest, in terms of the loops of the first.
Touched renamed(const Touched& from, const std::vector<Counted>& own,
                const std::vector<Counted>& like) {
    Touched made = from;
    for (auto& [name, all] : made.accesses)
        for (Access& access : all) {
            std::map<std::uint32_t, std::int64_t>& rounds = access.spot.offset.rounds;
            std::map<std::uint32_t, std::int64_t> moved;
            for (auto [counter, by] : rounds) {
                std::uint32_t now = counter;
                for (std::size_t k = 0; k < own.size(); ++k)
                    if (own[k].counter == counter) now = like[k].counter;
                moved[now] += by;
            }
            rounds = std::move(moved);
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
                                                    const std::vector<Counted>& loops,
                                                    const Round& round, const Instr& loop) {
    auto own = ownArrays(body, affine, loops, round);
    auto isShared = [&](std::uint32_t local) { return isUsedOutside(body, local, loop, nullptr); };
    if (!own || std::any_of(own->begin(), own->end(), isShared) ||
        std::any_of(round.scalars.begin(), round.scalars.end(), isShared))
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

Nest independent(const Body& body, Affine& affine, std::span<const Instr> before,
                 const Instr& loop) {
    struct Level {
        Counted counts;
        const Instr* loop;
    };
    std::vector<Level> levels;
    std::int64_t rounds = 1;
    for (const Instr* next = &loop; next;) {
        const auto counts = affine.counted(before, *next);
        if (!counts || counts->rounds < 1 || counts->rounds > kMostRounds / rounds ||
            isUsedOutside(body, counts->counter, *next, counts->begin))
            break;
        rounds *= counts->rounds;
        levels.push_back({*counts, next});
        affine.enter(*counts);
        next = onlyLoop(body, next->blocks[1], before);
    }
    Nest best;
    while (!levels.empty() && best.loops.empty()) {
        std::vector<Counted> loops;
        for (const Level& level : levels) loops.push_back(level.counts);
        loops = severalRounds(loops);
        const Instr& innermost = *levels.back().loop;
        auto round = lookAtRound(body, affine, innermost.blocks[1], Allowed::Elements);
        auto own = round ? ownLocals(body, affine, loops, *round, innermost) : std::nullopt;
        if (own && !loops.empty()) {
            for (const Level& level : levels) best.loops.push_back(level.counts);
            best.innermost = &innermost;
            best.own = std::move(*own);
            best.touched = std::move(round->touched);
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

std::optional<Rounds> independentRounds(const Body& body, Affine& affine,
                                        std::span<const Instr> before, const Instr& loop) {
    const auto counts = affine.counted(before, loop);
    if (!counts || counts->rounds < 2 || counts->rounds > kMostRounds ||
        isUsedOutside(body, counts->counter, loop, counts->begin))
        return std::nullopt;
    affine.enter(*counts);
    const auto round = lookAtRound(body, affine, loop.blocks[1], Allowed::WholeArrays);
    const auto arrays = round ? ownLocals(body, affine, {*counts}, *round, loop) : std::nullopt;
    affine.leave(counts->counter);
    if (!arrays) return std::nullopt;
    Rounds rounds{*counts, round->scalars};
    rounds.own.insert(arrays->begin(), arrays->end());
    rounds.own.insert(counts->counter);
    return rounds;
}

bool joinNests(Nest& first, const Nest& second, const Affine& affine) {
    const std::vector<Counted> like = severalRounds(first.loops), own = severalRounds(second.loops);
    auto sameRounds = [](const Counted& a, const Counted& b) { return a.rounds == b.rounds; };
    if (!std::equal(like.begin(), like.end(), own.begin(), own.end(), sameRounds)) return false;
    Touched all = first.touched;
    const Touched more = renamed(second.touched, own, like);
    all.unclear.insert(more.unclear.begin(), more.unclear.end());
    auto writes = [](const std::vector<Access>& list) {
        return std::any_of(list.begin(), list.end(), [](const Access& a) { return a.writes; });
    };
    for (const auto& [name, list] : more.accesses) {
        std::vector<Access>& both = all.accesses[name];
        const bool isShared = !both.empty() || first.touched.unclear.contains(name);
        both.insert(both.end(), list.begin(), list.end());
        if (!isShared || !writes(both)) continue;
        if (all.unclear.contains(name) || !Apart(affine, like).areApart(both)) return false;
    }
    for (const auto& [name, list] : first.touched.accesses)
        if (more.unclear.contains(name) && writes(list)) return false;
    first.touched = std::move(all);
    first.own.insert(first.own.end(), second.own.begin(), second.own.end());
    return true;
}

}  // namespace strc::ir
