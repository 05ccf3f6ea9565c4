#include "device/detail/teams.h"

#include <algorithm>
#include <optional>
#include <set>

#include "device/detail/groups.h"

namespace strc::device {

using ir::Instr;
using ir::Op;
using ir::Space;

namespace {

/// Beyond that, threads that do an iteration each keep a device busy.
constexpr std::int64_t kManyIterations = std::int64_t{1} << 14;
/// A warp each keeps it busy, too.
constexpr std::int64_t kManyWarps = std::int64_t{1} << 10;
/// From so many iterations of a loop on a block is worth its barriers.
constexpr std::int64_t kVeryLong = 8 * kBlock;

using Asked = std::function<bool(std::uint32_t)>;

bool isLocal(const Instr& instr) { return instr.var.space == Space::Local; }

class TeamFinder {
public:
    TeamFinder(const ir::Body& of, ir::Affine& known, const Asked& asked)
        : body(of), affine(known), isShared(asked) {}

    /// False: an iteration of the nest has to be done by one thread.
    bool look(ir::BlockId iteration) {
        const std::span<const Instr> all(body.blocks[iteration].instrs);
        for (std::size_t k = 0; k < all.size(); ++k)
            if (!lookAt(all[k], all.first(k))) return false;
        return true;
    }

    /// Of some instructions of a block, in order.
    bool look(ir::BlockId block, const std::vector<const Instr*>& some) {
        const std::span<const Instr> all(body.blocks[block].instrs);
        return std::all_of(some.begin(), some.end(), [&](const Instr* instr) {
            return lookAt(*instr, all.first(static_cast<std::size_t>(instr - all.data())));
        });
    }

    Team team;
    bool isWorth = false;

private:
    bool lookAt(const Instr& instr, std::span<const Instr> before) {
        if (instr.op == Op::Return) return false;
        if (instr.op == Op::Loop)
            if (auto loop = shared(instr, before)) {
                isWorth = isWorth || loop->nest.trips() >= kWarp;
                team[&instr] = *loop;
                return true;
            }
        // What several blocks are for is done by each thread, if the others cannot see it.
        bool writes = false;
        for (ir::BlockId block : instr.blocks)
            forEach(body, block, [&](const Instr& inner) {
                writes = writes || writesMemory(body, inner, isShared);
            });
        return !writes;
    }

    std::optional<TeamLoop> shared(const Instr& loop, std::span<const Instr> before) {
        std::optional<std::vector<Reduction>> reductions = reductionsOf(loop, before);
        if (!reductions) return std::nullopt;
        std::set<std::uint32_t> reduced;
        for (const Reduction& each : *reductions) reduced.insert(each.local);
        Nest nest = findParallelNest(body, affine, before, loop, reduced);
        const bool hasArrays = std::any_of(
            nest.own.begin(), nest.own.end(),
            [&](std::uint32_t local) { return types::sizeOf(body.locals[local].type) > 0; });
        if (nest.loops.empty() || hasArrays) return std::nullopt;
        return TeamLoop{std::move(nest), std::move(*reductions)};
    }

    struct Uses {
        std::vector<const Instr*> loads, stores;
    };

    /// Of the variables that iterations leave behind; empty: one is no reduction.
    std::optional<std::vector<Reduction>> reductionsOf(const Instr& loop,
                                                       std::span<const Instr> before) const {
        const auto counts = affine.induction(before, loop);
        if (!counts) return std::nullopt;
        std::map<std::uint32_t, Uses> uses;
        for (ir::BlockId block : loop.blocks)
            forEach(body, block, [&](const Instr& instr) {
                if (!isLocal(instr)) return;
                if (instr.op == Op::Load) uses[instr.var.index].loads.push_back(&instr);
                if (instr.op == Op::Store) uses[instr.var.index].stores.push_back(&instr);
            });
        std::vector<Reduction> found;
        for (const auto& [local, use] : uses) {
            if (use.stores.empty() || local == counts->counter ||
                !isUsedOutside(body, local, loop, nullptr))
                continue;
            const auto reduction = reductionOf(local, use);
            if (!reduction) return std::nullopt;
            found.push_back(*reduction);
        }
        return found;
    }

    /// v = v + x, v = max(v, x) and the like, with conversions of both and back; nothing else sees what v is meanwhile.
    std::optional<Reduction> reductionOf(std::uint32_t local, const Uses& use) const {
        if (use.loads.size() != 1 || use.stores.size() != 1) return std::nullopt;
        const ir::Reg old = use.loads[0]->result, changed = use.stores[0]->operands[0];
        const Instr& combined = unconverted(changed);
        if (!isFree(combined, body.locals[local].type)) return std::nullopt;
        auto isOld = [&](ir::Reg reg) { return reg == old || unconverted(reg).result == old; };
        const bool isFirst = isOld(combined.operands[0]), isSecond = isOld(combined.operands[1]);
        if (isFirst == isSecond) return std::nullopt;
        for (ir::Reg reg : {old, combined.operands[isFirst ? 0 : 1], combined.result, changed})
            if (!isUsedOnce(reg)) return std::nullopt;
        return Reduction{local, &combined, combined.op == Op::Add};
    }

    bool isUsedOnce(ir::Reg reg) const {
        std::ptrdiff_t uses = 0;
        forEach(body, body.entry, [&](const Instr& instr) {
            uses += std::count(instr.operands.begin(), instr.operands.end(), reg);
        });
        return uses == 1;
    }

    const Instr& unconverted(ir::Reg reg) const {
        const Instr& instr = affine.definition(reg);
        return instr.op == Op::Convert ? affine.definition(instr.operands[0]) : instr;
    }

    /// May it be done in any order? Sums of real numbers may if the language says so, in the type of the variable alone.
    static bool isFree(const Instr& instr, const types::Type* type) {
        if (instr.op == Op::Math)
            return instr.math == types::MathFn::Max || instr.math == types::MathFn::Min;
        if (instr.op != Op::Add || instr.type != type) return false;
        return instr.flag || type->is(types::TypeKind::Int) || type->is(types::TypeKind::Long);
    }

    const ir::Body& body;
    ir::Affine& affine;
    const Asked& isShared;
};

}  // namespace

bool writesMemory(const ir::Body& body, const Instr& instr, const Asked& isShared) {
    switch (instr.op) {
        case Op::StoreAt:
        case Op::Copy:
        case Op::Zero:
        case Op::Contract: return true;
        case Op::Store: return !isLocal(instr) || isShared(instr.var.index);
        case Op::Declare: return body.locals[instr.var.index].type->isAggregate() && !instr.flag;
        default:
            return instr.result != ir::kNone && ir::info(instr.op).effects == ir::Effects::Write;
    }
}

std::int64_t teamSize(const Team& team, std::int64_t iterations) {
    const bool isVeryLong = std::any_of(team.begin(), team.end(), [](const auto& each) {
        return each.second.nest.trips() >= kVeryLong;
    });
    return team.empty() ? 1 : isVeryLong && iterations < kManyWarps ? kBlock : kWarp;
}

Team findTeam(const ir::Body& body, ir::Affine& affine, const Group& group, const Asked& isShared) {
    const bool isCode = group.kind == GroupKind::Nest || group.kind == GroupKind::Serial;
    if (!isCode || group.trips() > kManyIterations) return {};
    TeamFinder finder(body, affine, isShared);
    for (const std::vector<Induction>& loops : {group.around, group.apart})
        for (const Induction& loop : loops) affine.enter(loop);
    bool isPossible = group.kind == GroupKind::Nest || finder.look(group.block, group.instrs);
    for (const Nest& nest : group.nests) {
        for (const Induction& loop : nest.loops) affine.enter(loop);
        isPossible = isPossible && finder.look(nest.innermost->blocks[1]);
        for (const Induction& loop : nest.loops) affine.leave(loop.counter);
    }
    for (const std::vector<Induction>& loops : {group.around, group.apart})
        for (const Induction& loop : loops) affine.leave(loop.counter);
    return isPossible && finder.isWorth ? finder.team : Team{};
}

}  // namespace strc::device
