#include "vector/loops.h"

#include <algorithm>

#include "ir/blocks.h"
#include "ir/bounds.h"
#include "vector/columns.h"
#include "vector/detail/widener.h"

namespace strc::vector {
namespace {

constexpr std::int64_t kLaneBytes = 64;  ///< that a value takes in all lanes
constexpr std::int64_t kFewestRows = 16;  ///< of a window that is transposed

/// Those that leave the least for one by one; among those that leave nothing the most lanes.
std::int64_t lanesOf(const Body& body, const ir::VectorLoop& loop) {
    const std::int64_t least = kLaneBytes / ir::widestVarying(body, loop.facts);
    for (std::int64_t lanes = 4 * least; lanes >= least; lanes /= 2)
        if (loop.end % lanes == 0) return lanes;
    return loop.end >= 2 * least ? least : 0;
}

/// Of iterations of a loop. Where a check fails the loop over groups is left, before anything has been pushed, and the loop
/// goes on one by one.
class IterationLanes final : public LaneItems {
public:
    IterationLanes(ir::Writer& writer, const ir::VectorLoop& what, std::uint32_t array,
                   std::int64_t stride, std::int64_t peekRate, bool canFail)
        : w(writer), loop(what), columns(array), columnStride(stride), mostPeek(peekRate) {
        if (!canFail) return;
        failed = w.local("failed", w.types.boolean());
        w.store(failed, truth(false));
    }

    Reg input(Widener& to, const Instr& i, Reg index) override {
        if (!to.isVector(index)) {
            w.emit(Op::Peek, i.type, {index}).checked = false;
            return w.result(i.type, false);
        }
        const std::int64_t stride = *loop.strides[i.operands[0]];
        w.emit(Op::Lane, w.types.intType(), {index}).index = 0;
        const Reg first = w.result(w.types.intType(), false);
        if (stride > kShuffled) return loadColumns(to, i.type, first);
        w.emit(Op::PeekVector, to.vectorOf(i.type), {first}).index =
            static_cast<std::uint32_t>(stride);
        return w.result(to.vectorOf(i.type), false);
    }

    void output(Widener& to, const Instr& /*i*/, Reg value, Reg /*index*/) override {
        pushed = to.widened(value);
    }

    bool isConsecutive(Reg index) const override { return loop.strides[index] == 1; }
    std::int64_t peekLimit() const override { return mostPeek; }

    void require(Widener& /*to*/, Reg holds) override {
        const Reg fails = w.operation(Op::Not, w.types.boolean(), {holds});
        const BlockId leave = w.inBlock([&] {
            w.store(failed, truth(true));
            w.emit(Op::Break, nullptr, {});
        });
        w.emit(Op::If, nullptr, {fails}).blocks = {leave, kNone, kNone};
    }

    void afterLoop(Widener& /*to*/) override {
        if (failed == kNone) return;
        const BlockId leave = w.inBlock([&] { w.emit(Op::Break, nullptr, {}); });
        w.emit(Op::If, nullptr, {w.load(failed)}).blocks = {leave, kNone, kNone};
    }

    void finish(Widener& /*to*/) override {
        w.emit(Op::PushVector, w.body.regs[pushed].type, {pushed});
    }

private:
    Reg truth(bool is) {
        return w.constant(types::Value::of(w.types.boolean(), static_cast<std::uint8_t>(is)));
    }

    Reg natural(Op op, Reg x, Reg y) {
        Instr& made = w.emit(op, w.types.intType(), {x, y});
        made.checked = false;
        made.isNatural = op != Op::Mul;
        return w.result(w.types.intType(), false);
    }

    Reg loadColumns(Widener& to, const Type* type, Reg item) {
        const Reg stride = w.integer(columnStride);
        const Reg array = w.address(columns);
        const Reg length = w.integer(w.body.regs[array].type->extent / columnStride);
        const Reg begin = natural(Op::Mul, natural(Op::Rem, item, stride), length);
        const Reg index =
            w.operation(Op::Add, w.types.intType(), {begin, natural(Op::Div, item, stride)});
        w.emit(Op::LoadVector, to.vectorOf(type), {w.reference(array, index)}).index = 1;
        return w.result(to.vectorOf(type), false);
    }

    ir::Writer& w;
    const ir::VectorLoop& loop;
    const std::uint32_t columns;  ///< a local
    const std::int64_t columnStride, mostPeek;
    std::uint32_t failed = kNone;  ///< likewise; kNone: no check can fail
    Reg pushed = kNone;
};

class LoopVectoriser {
public:
    LoopVectoriser(types::TypeTable& types, const target::Model& model, const Body& original,
                   const LoopFacts& known)
        : target(model), old(original), facts(known), w(types) {}

    std::optional<Body> run() {
        std::vector<ir::VectorLoop> loops;
        for (ir::VectorLoop& loop : ir::findVectorLoops(old)) {
            if (lanesOf(old, loop) == 0 || !canLeave(loop) || !readsFit(loop) ||
                !facts.isWanted(loop))
                continue;
            noteStride(loop);
            loops.push_back(std::move(loop));
        }
        if (loops.empty()) return std::nullopt;
        w.body = old;
        if (stride != 0) makeColumns();
        for (const ir::VectorLoop& loop : loops) vectorise(loop);
        return std::move(w.body);
    }

private:
    bool mayFail(const Instr& i) const { return ir::hasCheck(i) && !facts.isSafe(i); }

    bool canFail(BlockId id) const {
        return ir::contains(old, id, [this](const Instr& i) { return mayFail(i); });
    }

    /// A loop can be left where a check fails; a value that is being chosen, or a condition, cannot. And how far a peek
    /// is from the first item of the firing is known only while none has been popped.
    bool canLeave(const ir::VectorLoop& loop) const {
        const bool isInValue = ir::contains(old, loop.body, [this](const Instr& i) {
            if (i.op == Op::If && i.result != kNone)
                return canFail(i.blocks[0]) || canFail(i.blocks[1]);
            return i.op == Op::Loop && (canFail(i.blocks[0]) || canFail(i.blocks[2]));
        });
        const bool peeks = ir::contains(
            old, loop.body, [this](const Instr& i) { return i.op == Op::Peek && mayFail(i); });
        return !isInValue && (!peeks || !popsBefore(loop));
    }

    /// May an item be popped before the loop, or in one around it?
    bool popsBefore(const ir::VectorLoop& loop) const {
        return walk(old.entry, loop) == Walk::Pops;
    }

    /// How a walk through the body ends, in the order of the program.
    enum class Walk : std::uint8_t { GoesOn, Pops, Arrives };
    Walk walk(BlockId id, const ir::VectorLoop& loop) const {
        if (id == kNone) return Walk::GoesOn;
        auto isLoop = [&](const Instr& i) { return i.op == Op::Loop && i.blocks[1] == loop.body; };
        for (const Instr& i : old.blocks[id].instrs) {
            if (isLoop(i)) return Walk::Arrives;
            if (pops(i)) return Walk::Pops;
            for (BlockId inner : i.blocks) {
                // A loop around it has popped all its items before it comes round.
                const bool comesRound = i.op == Op::Loop && ir::contains(old, inner, isLoop);
                if (comesRound && ir::contains(old, inner, pops)) return Walk::Pops;
                if (const Walk end = walk(inner, loop); end != Walk::GoesOn) return end;
            }
        }
        return Walk::GoesOn;
    }

    static bool pops(const Instr& i) {
        return i.op == Op::Pop || i.op == Op::PopInto || i.op == Op::Discard || i.op == Op::Call;
    }

    /// Far strides need a window transposed, which pays if the loop is in another one.
    bool readsFit(const ir::VectorLoop& loop) const {
        std::int64_t far = stride;
        for (const std::int64_t wanted : loop.peekStrides) {
            if (wanted <= kShuffled) continue;
            if (far != 0 && far != wanted) return false;
            far = wanted;
            const std::int64_t items = facts.rates.peek.max;
            // No more than half of the fastest memory, as it is read often.
            if (!loop.isNested || items / wanted < kFewestRows ||
                items * types::sizeOf(facts.input) > target.firstCacheBytes)
                return false;
        }
        return true;
    }

    void noteStride(const ir::VectorLoop& loop) {
        for (const std::int64_t wanted : loop.peekStrides)
            if (wanted > kShuffled) stride = wanted;
    }

    /// The whole window, before all else.
    void makeColumns() {
        const std::int64_t items = facts.rates.peek.max;
        std::vector<Instr> before = std::move(w.body.blocks[w.body.entry].instrs);
        w.body.blocks[w.body.entry].instrs.clear();
        w.block = w.body.entry;
        w.range = old.range;
        columns =
            w.local("columns", w.types.array(facts.input, (items + stride - 1) / stride * stride));
        const Reg array = w.address(columns), count = w.integer(items);
        w.emit(Op::PeekColumns, facts.input, {array, count}).index =
            static_cast<std::uint32_t>(stride);
        std::vector<Instr>& entry = w.body.blocks[w.body.entry].instrs;
        std::move(before.begin(), before.end(), std::back_inserter(entry));
    }

    /// Puts a loop over groups of iterations before the loop.
    void vectorise(const ir::VectorLoop& loop) {
        for (BlockId id = 0; id < w.body.blocks.size(); ++id) {
            const std::vector<Instr>& instrs = w.body.blocks[id].instrs;
            const auto at = std::find_if(instrs.begin(), instrs.end(), [&](const Instr& i) {
                return i.op == Op::Loop && i.blocks[1] == loop.body;
            });
            if (at == instrs.end()) continue;
            const auto place = static_cast<std::size_t>(at - instrs.begin());
            w.range = at->range;
            const BlockId made = w.inBlock([&] { writeGroups(loop); });
            std::vector<Instr> groups = std::move(w.body.blocks[made].instrs);
            w.body.blocks[made].instrs.clear();
            std::vector<Instr>& around = w.body.blocks[id].instrs;
            around.insert(around.begin() + static_cast<std::ptrdiff_t>(place),
                          std::move_iterator(groups.begin()), std::move_iterator(groups.end()));
            return;
        }
    }

    void writeGroups(const ir::VectorLoop& loop) {
        const std::int64_t lanes = lanesOf(old, loop);
        const Type* intType = w.types.intType();
        const BlockId condition = w.inBlock([&] {
            const Reg last = w.integer(loop.end - lanes);
            w.emit(Op::Yield, nullptr,
                   {w.operation(Op::Le, intType, {w.load(loop.counter), last})});
        });
        const BlockId inside = w.inBlock([&] { writeIterations(loop, lanes); });
        const BlockId step = w.inBlock([&] {
            w.store(loop.counter,
                    w.operation(Op::Add, intType, {w.load(loop.counter), w.integer(lanes)}));
        });
        w.emit(Op::Loop, nullptr, {}).blocks = {condition, inside, step};
    }

    /// The body of the loop, with the locals that vary as vectors.
    void writeIterations(const ir::VectorLoop& loop, std::int64_t lanes) {
        IterationLanes items(w, loop, columns, stride, facts.rates.peek.max, canFail(loop.body));
        Widener to(w, old, loop.facts, lanes, items, facts.isSafe);
        for (Reg reg = 0; reg < old.regs.size(); ++reg) to.bindRegister(reg, reg);
        for (std::uint32_t local = 0; local < old.locals.size(); ++local) {
            std::uint32_t made = local;
            if (loop.facts.locals[local]) {
                made = static_cast<std::uint32_t>(w.body.locals.size());
                const ir::Variable& scalar = old.locals[local];
                w.body.locals.push_back({scalar.name, to.vectorOf(scalar.type), scalar.range});
            }
            to.bindLocal(local, made);
            if (local == loop.counter) counterInLanes = made;
        }
        const Reg first = to.widened(w.load(loop.counter));
        const Reg numbers = w.operation(Op::LaneNumbers, to.vectorOf(w.types.intType()), {});
        w.store(counterInLanes,
                w.operation(Op::Add, to.vectorOf(w.types.intType()), {first, numbers}));
        to.block(loop.body);
        items.finish(to);
    }

    const target::Model& target;
    const Body& old;
    const LoopFacts& facts;
    ir::Writer w;
    std::int64_t stride = 0;  ///< of windows that are transposed; 0: none is
    std::uint32_t columns = kNone, counterInLanes = kNone;
};

}  // namespace

std::optional<Body> vectoriseLoops(types::TypeTable& types, const target::Model& target,
                                   const Body& body, const LoopFacts& facts) {
    return LoopVectoriser(types, target, body, facts).run();
}

}  // namespace strc::vector
