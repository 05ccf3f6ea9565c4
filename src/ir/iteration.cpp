#include "ir/iteration.h"

#include <algorithm>

#include "ir/contraction.h"

namespace strc::ir {

const Induction* Access::inner(std::uint32_t counter) const {
    for (const Induction& loop : around)
        if (loop.counter == counter) return &loop;
    return nullptr;
}

namespace {

class AccessCollector {
    using Stored = std::set<std::uint32_t>;

public:
    AccessCollector(const Body& of, Affine& known, BlockId block, Allowed what,
                    const Stored& without)
        : body(of), affine(known), allowed(what), ignored(without), inside(of.regs.size()) {
        forEach(body, block, [&](const Instr& instr) {
            if (instr.result != kNone) inside[instr.result] = true;
        });
        affine.setInside(&inside);
        look(block, {}, true);
        affine.setInside(nullptr);
    }

    std::optional<IterationAccesses> result() {
        return isFine ? std::optional(std::move(iteration)) : std::nullopt;
    }

private:
    /// `before`: scalars that this iteration has certainly stored already.
    void look(BlockId id, Stored before, bool isCertain) {
        if (id == kNone) return;
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
                if (ignored.contains(instr.var.index)) return;
                iteration.scalars.insert(instr.var.index);
                if (readFirst.contains(instr.var.index)) return fail();
                before.insert(instr.var.index);
                return;
            case Op::Declare: return beginLiveRange(instr);
            case Op::LoadAt: return touch(instr.operands[0], instr.type, false, isCertain);
            case Op::StoreAt: return touch(instr.operands[0], instr.type, true, isCertain);
            case Op::If:
                for (BlockId block : instr.blocks) look(block, before, false);
                return;
            case Op::Loop: return lookInto(instr, last, before, isCertain);
            case Op::Break:
            case Op::Continue:
            case Op::Yield:
            case Op::Addr:
            case Op::Elem:
            case Op::Member: return;
            default:
                if (info(instr.op).effects == Effects::Pure) return;
                if (allowed == Allowed::Elements) return fail();
                wholeArrays(instr, isCertain);
        }
    }

    void wholeArrays(const Instr& instr, bool isCertain) {
        if (instr.op == Op::Contract) return contract(instr, isCertain);
        const bool isCopy = instr.op == Op::Copy && instr.operands.size() == 2;
        const bool isZero = instr.op == Op::Zero && instr.operands.size() == 1;
        if (!isCopy && !isZero) return fail();
        if (isCopy) touch(instr.operands[1], instr.type, false, isCertain);
        touch(instr.operands[0], instr.type, true, isCertain);
    }

    /// Fails for scalars, for arrays of unknown size and for those that begin as zeros: zeroing a copy in each iteration has a cost.
    void beginLiveRange(const Instr& instr) {
        const bool isArray = body.locals[instr.var.index].type->isAggregate();
        const ArrayName name{static_cast<int>(Space::Local), instr.var.index};
        if (!instr.flag || !isArray || !instr.operands.empty() ||
            iteration.touched.accesses.contains(name) || iteration.touched.unknown.contains(name))
            return fail();
        iteration.declared.insert(instr.var.index);
    }

    void lookInto(const Instr& loop, std::span<const Instr> last, Stored& before, bool isCertain) {
        const auto counts = affine.induction(last, loop);
        if (!counts || counts->trips == 0) {
            for (BlockId block : loop.blocks) look(block, before, false);
            return;
        }
        affine.enter(*counts);
        around.push_back(*counts);
        look(loop.blocks[1], before, isCertain);
        around.pop_back();
        affine.leave(counts->counter);
    }

    /// A scalar that another iteration may have stored.
    void load(std::uint32_t local, const Stored& before) {
        if (affine.loop(local) || before.contains(local) || ignored.contains(local)) return;
        readFirst.insert(local);
        if (iteration.scalars.contains(local)) fail();
    }

    // ---- arrays

    void touch(Reg ref, const types::Type* type, bool writes, bool isCertain) {
        if (const auto address = addressOf(ref, writes))
            note({*address, types::sizeOf(type), writes, isCertain, around});
    }

    /// Empty: there is nothing more to say about it.
    std::optional<AffineAddress> addressOf(Reg ref, bool writes) {
        const Instr& base = baseOf(ref);
        if (base.op == Op::Const && !writes) return std::nullopt;
        if (auto address = affine.address(ref)) return address;
        const bool isLocal = base.op == Op::Addr && base.var.space == Space::Local;
        if (isLocal && iteration.declared.contains(base.var.index)) return std::nullopt;
        if (writes || base.op != Op::Addr)
            fail();
        else
            iteration.touched.unknown.insert({static_cast<int>(base.var.space), base.var.index});
        return std::nullopt;
    }

    void note(Access access) {
        const VarRef base = access.address.base;
        iteration.touched.accesses[{static_cast<int>(base.space), base.index}].push_back(
            std::move(access));
    }

    const Instr& baseOf(Reg ref) const {
        const Instr* instr = &affine.definition(ref);
        while (instr->op == Op::Elem || instr->op == Op::Member)
            instr = &affine.definition(instr->operands[0]);
        return *instr;
    }

    /// Its loops count with numbers that no local has.
    void contract(const Instr& instr, bool isCertain) {
        const Contraction how = contractionOf(instr);
        for (std::size_t k = 1; k < instr.operands.size(); ++k)
            contractOperand(instr, how, k, isCertain);
        contractOperand(instr, how, 0, isCertain);
    }

    void contractOperand(const Instr& instr, const Contraction& how, std::size_t k,
                         bool isCertain) {
        const bool writes = k == 0;
        auto address = addressOf(instr.operands[k], writes);
        if (!address) return;
        const std::int64_t size = types::sizeOf(body.regs[instr.operands[k]].type->element);
        const std::int32_t firsts[]{how.out, how.a, how.b, how.added[0], how.added[1]};
        address->offset.constant += firsts[k] * size;
        Access access{*address, size, writes, isCertain, around};
        for (std::size_t l = 0; l < how.loops.size(); ++l) {
            const ContractionLoop& loop = how.loops[l];
            const std::int32_t steps[]{loop.out, loop.a, loop.b, loop.added[0], loop.added[1]};
            if (steps[k] == 0) continue;
            const auto counter = static_cast<std::uint32_t>(body.locals.size() + l);
            access.address.offset.trips[counter] = steps[k] * size;
            access.around.push_back({counter, 0, 1, loop.trips, nullptr});
        }
        note(std::move(access));
    }

    void fail() { isFine = false; }

    const Body& body;
    Affine& affine;
    const Allowed allowed;
    const Stored& ignored;
    std::vector<bool> inside;
    std::vector<Induction> around;
    Stored readFirst;
    IterationAccesses iteration;
    bool isFine = true;
};

}  // namespace

std::optional<IterationAccesses> accessesOfIteration(const Body& body, Affine& affine,
                                                     BlockId block, Allowed allowed,
                                                     const std::set<std::uint32_t>& ignored) {
    return AccessCollector(body, affine, block, allowed, ignored).result();
}

bool isWrittenFirst(const Body& body, const IterationAccesses& iteration, std::uint32_t local) {
    const ArrayName name{static_cast<int>(Space::Local), local};
    const Access& first = iteration.touched.accesses.at(name)[0];
    const AffineForm& offset = first.address.offset;
    if (!first.writes || !first.isCertain || iteration.touched.unknown.contains(name) ||
        offset.constant != 0 || !offset.fixed.empty())
        return false;
    std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // bytes, iterations
    for (auto [counter, by] : offset.trips) {
        const Induction* loop = first.inner(counter);
        if (!loop) return false;
        steps.emplace_back(by, loop->trips);
    }
    std::sort(steps.begin(), steps.end());
    std::int64_t covered = first.size;
    for (auto [by, trips] : steps) {
        if (by != covered) return false;
        covered *= trips;
    }
    return covered == types::sizeOf(body.locals[local].type);
}

}  // namespace strc::ir
