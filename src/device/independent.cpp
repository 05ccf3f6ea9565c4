// Rounds are independent if each writes places of its own and reads none that another writes. Places are sums of
// multiples of counters: they differ if, in the order of their steps, each step goes further than all smaller ones
// together (a number in a mixed radix has one form).

#include "device/independent.h"

#include <algorithm>
#include <set>

namespace strc::device {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;

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

const Counted* inner(const Access& access, std::uint32_t counter) {
    for (const Counted& loop : access.around)
        if (loop.counter == counter) return &loop;
    return nullptr;
}

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
            const Counted* loop = inner(access, counter);
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

class Proof {
public:
    Proof(const ir::Body& of, Affine& known, const std::vector<Counted>& chosen, ir::BlockId round)
        : body(of), affine(known), loops(chosen), inside(of.regs.size()) {
        auto mark = [&](const Instr& instr) {
            if (instr.result != ir::kNone) inside[instr.result] = true;
        };
        forEach(body, round, mark);
        affine.setInside(&inside);
        look(round, {}, true);
        affine.setInside(nullptr);
    }

    /// Empty: there is no proof.
    std::optional<std::vector<std::uint32_t>> ownArrays() const {
        if (!isFine) return std::nullopt;
        std::vector<std::uint32_t> own;
        for (const auto& [name, all] : touched.accesses) {
            const bool isWritten =
                std::any_of(all.begin(), all.end(), [](const Access& a) { return a.writes; });
            if (!isWritten) continue;
            if (!touched.unclear.contains(name) && Apart(affine, loops).areApart(all)) continue;
            const bool isLocal = name.first == static_cast<int>(Space::Local);
            if (!isLocal || !isWrittenFirst(all, name.second)) return std::nullopt;
            own.push_back(name.second);
        }
        return own;
    }
    /// Scalars that are stored in a round.
    const std::set<std::uint32_t>& scalars() const { return stored; }
    Touched touched;

private:
    using Stored = std::set<std::uint32_t>;

    // ---- what a round does

    /// `before`: scalars that this round has certainly stored already.
    void look(ir::BlockId id, Stored before, bool isCertain) {
        if (id == ir::kNone) return;
        const std::span<const Instr> all(body.blocks[id].instrs);
        for (std::size_t k = 0; k < all.size() && isFine; ++k)
            lookAt(all[k], all.first(k), before, isCertain);
    }

    void lookAt(const Instr& instr, std::span<const Instr> last, Stored& before, bool isCertain) {
        switch (instr.op) {
            case Op::Load:
                if (instr.var.space == Space::Local) load(instr.var.index, before);
                return;
            case Op::Store:
                if (instr.var.space != Space::Local) return fail();
                stored.insert(instr.var.index);
                if (readFirst.contains(instr.var.index)) return fail();
                before.insert(instr.var.index);
                return;
            case Op::Declare:
                if (!instr.flag || !body.locals[instr.var.index].type->isAggregate()) fail();
                return;
            case Op::LoadAt: return touch(instr.operands[0], instr.type, false, isCertain);
            case Op::StoreAt: return touch(instr.operands[0], instr.type, true, isCertain);
            case Op::If:
                for (ir::BlockId block : instr.blocks) look(block, before, false);
                return;
            case Op::Loop: return lookInto(instr, last, before, isCertain);
            case Op::Break:
            case Op::Continue:
            case Op::Yield:
            case Op::Addr:
            case Op::Elem:
            case Op::Member: return;
            default:
                if (ir::info(instr.op).effects != ir::Effects::Pure) fail();
        }
    }

    void lookInto(const Instr& loop, std::span<const Instr> last, Stored& before, bool isCertain) {
        const auto counts = affine.counted(last, loop);
        if (!counts || counts->rounds == 0) {
            for (ir::BlockId block : loop.blocks) look(block, before, false);
            return;
        }
        affine.enter(*counts);
        around.push_back(*counts);
        look(loop.blocks[1], before, isCertain);
        around.pop_back();
        affine.leave(counts->counter);
    }

    /// A scalar that another round may have stored.
    void load(std::uint32_t local, const Stored& before) {
        if (affine.loop(local) || before.contains(local)) return;
        readFirst.insert(local);
        if (stored.contains(local)) fail();
    }

    void touch(Reg ref, const types::Type* type, bool writes, bool isCertain) {
        auto spot = affine.spot(ref);
        if (!spot) {
            const auto base = baseOf(ref);
            if (writes || !base) return fail();
            touched.unclear.insert({static_cast<int>(base->space), base->index});
            return;
        }
        touched.accesses[{static_cast<int>(spot->base.space), spot->base.index}].push_back(
            {std::move(*spot), types::sizeOf(type), writes, isCertain, around});
    }

    std::optional<ir::VarRef> baseOf(Reg ref) const {
        const Instr* instr = &affine.definition(ref);
        while (instr->op == Op::Elem || instr->op == Op::Member)
            instr = &affine.definition(instr->operands[0]);
        return instr->op == Op::Addr ? std::optional(instr->var) : std::nullopt;
    }

    void fail() { isFine = false; }

    /// Is the first access a write of all of the array, in every round?
    bool isWrittenFirst(const std::vector<Access>& all, std::uint32_t local) const {
        const Access& first = all[0];
        if (!first.writes || !first.isCertain || touched.unclear.contains({0, local}) ||
            first.spot.offset.constant != 0 || !first.spot.offset.fixed.empty())
            return false;
        std::vector<Step> steps;
        for (auto [counter, by] : first.spot.offset.rounds) {
            const Counted* loop = inner(first, counter);
            if (!loop) return false;
            steps.push_back({by, loop->rounds, false});
        }
        if (steps.size() != first.around.size()) return false;
        std::sort(steps.begin(), steps.end());
        std::int64_t covered = first.size;
        for (const Step& step : steps) {
            if (step.by != covered) return false;
            covered *= step.rounds;
        }
        return covered == types::sizeOf(body.locals[local].type);
    }

    const ir::Body& body;
    Affine& affine;
    const std::vector<Counted>& loops;
    std::vector<bool> inside;
    std::vector<Counted> around;
    Stored stored, readFirst;
    bool isFine = true;
};

std::vector<Counted> severalRounds(const std::vector<Counted>& loops) {
    std::vector<Counted> several;
    for (const Counted& loop : loops)
        if (loop.rounds > 1) several.push_back(loop);
    return several;
}

/// What the second nest touches, as if its loops were those of the first.
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
const Instr* onlyLoop(const ir::Body& body, ir::BlockId id, std::span<const Instr>& before) {
    const auto& instrs = body.blocks[id].instrs;
    if (instrs.size() < 2 || instrs.back().op != Op::Loop) return nullptr;
    for (std::size_t k = 0; k + 1 < instrs.size(); ++k) {
        const Instr& instr = instrs[k];
        const bool isStart = k + 2 == instrs.size() && instr.op == Op::Store;
        const bool isHarmless = ir::info(instr.op).effects == ir::Effects::Pure ||
                                instr.op == Op::Load || (instr.op == Op::Elem && !instr.checked);
        if (!isStart && !isHarmless) return nullptr;
    }
    before = std::span(instrs).first(instrs.size() - 1);
    return &instrs.back();
}

}  // namespace

bool isUsedOutside(const ir::Body& body, std::uint32_t local, const Instr& loop,
                   const Instr* begin) {
    int all = 0, within = 0;
    auto count = [local](int& counter) {
        return [&counter, local](const Instr& instr) {
            const bool isVariable =
                instr.op == Op::Load || instr.op == Op::Store || instr.op == Op::Addr;
            if (isVariable && instr.var == ir::VarRef{Space::Local, local}) ++counter;
        };
    };
    forEach(body, body.entry, count(all));
    for (ir::BlockId block : loop.blocks) forEach(body, block, count(within));
    if (begin && begin->var == ir::VarRef{Space::Local, local}) ++within;
    return all != within;
}

Nest independent(const ir::Body& body, Affine& affine, std::span<const Instr> before,
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
        Proof proof(body, affine, loops, levels.back().loop->blocks[1]);
        auto own = proof.ownArrays();
        auto isShared = [&](std::uint32_t local) {
            return isUsedOutside(body, local, *levels.back().loop, nullptr);
        };
        if (own && !loops.empty() && std::none_of(own->begin(), own->end(), isShared) &&
            std::none_of(proof.scalars().begin(), proof.scalars().end(), isShared)) {
            for (const Level& level : levels) best.loops.push_back(level.counts);
            best.innermost = levels.back().loop;
            best.own = std::move(*own);
            best.touched = std::move(proof.touched);
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

}  // namespace strc::device
