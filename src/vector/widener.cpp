#include "vector/detail/widener.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "ir/blocks.h"
#include "ir/bounds.h"

namespace strc::vector {
namespace {

using ir::Space;
using ir::VarRef;
using types::lanesOf;
using types::laneType;
using types::TypeKind;

bool isInteger(const Type* type) { return type->is(TypeKind::Int) || type->is(TypeKind::Long); }

bool movesTapes(const Body& body, BlockId id) {
    return ir::contains(body, id, [](const Instr& i) {
        return i.op == Op::Pop || i.op == Op::Push || i.op == Op::Discard;
    });
}

/// Must the block not run where no lane wants it to: since it takes long, or may fail?
bool isCostly(const Body& body, BlockId id) {
    return ir::contains(body, id, [](const Instr& i) {
        switch (i.op) {
            case Op::Loop:
            case Op::Elem:
            case Op::Peek:
            case Op::Pop:
            case Op::Push:
            case Op::Discard:
            case Op::Math: return true;
            case Op::Div:
            case Op::Rem: return isInteger(i.type);
            default: return false;
        }
    });
}

}  // namespace

Widener::Widener(ir::Writer& writer, const Body& original, const ir::Varying& varying,
                 std::int64_t laneCount, LaneItems& laneItems, IsSafe safe)
    : w(writer),
      lanes(laneCount),
      body(original),
      facts(varying),
      items(laneItems),
      isSafe(std::move(safe)),
      regs(original.regs.size(), kNone),
      locals(original.locals.size(), kNone),
      places(original.locals.size(), kNone),
      leadsToFirst(original.regs.size()) {}

void Widener::whole() {
    for (std::uint32_t k = 0; k < body.locals.size(); ++k) {
        if (places[k] != kNone) continue;
        locals[k] = static_cast<std::uint32_t>(w.body.locals.size());
        w.body.locals.push_back({body.locals[k].name, localType(k), body.locals[k].range});
    }
    taken = w.local("taken", w.types.intType());
    given = w.local("given", w.types.intType());
    w.store(taken, w.integer(0));
    w.store(given, w.integer(0));
    items.begin(*this);
    block(body.entry);
    const std::vector<Instr>& entry = body.blocks[body.entry].instrs;
    if (entry.empty() || entry.back().op != Op::Return) ret();
}

const Type* Widener::localType(std::uint32_t old) const {
    const Type* type = body.locals[old].type;
    return facts.locals[old] ? w.types.inLanes(type, lanes) : type;
}

void Widener::block(BlockId id) {
    yielded = kNone;
    if (id == kNone) return;
    for (const Instr& i : body.blocks[id].instrs) {
        w.range = i.range;
        instruction(i);
    }
}

void Widener::instruction(const Instr& i) {
    if (memory(i) || tape(i)) return;
    switch (i.op) {
        case Op::If: return isVarying(i.operands[0]) ? varyingBranch(i) : branch(i);
        case Op::Loop: return loop(i);
        case Op::Yield: yielded = made(i, 0); return;
        case Op::Return: return ret();
        case Op::Break:
        case Op::Continue: clone(i); return;
        default: return pure(i);
    }
}

/// The same instruction on what its operands have become.
Instr& Widener::clone(const Instr& i) {
    Instr copy = i;
    for (Reg& reg : copy.operands) reg = regs[reg];
    if (copy.var.space == Space::Local && copy.var.index != kNone)
        copy.var.index = locals[copy.var.index];
    copy.result = kNone;
    if (ir::hasCheck(i) && isSafe(i)) copy.checked = false;
    return w.body.blocks[w.block].instrs.emplace_back(std::move(copy));
}

void Widener::result(const Instr& i, const Type* type, bool isRef, std::uint32_t refLanes) {
    if (i.result == kNone) return;
    regs[i.result] = w.result(type, isRef);
    w.body.regs.back().lanes = refLanes;
}

// ---------------------------------------------------------------- values

Reg Widener::widened(Reg reg) {
    if (isVector(reg)) return reg;
    return w.operation(Op::Splat, vectorOf(w.body.regs[reg].type), {reg});
}

Reg Widener::select(Reg condition, Reg one, Reg other) {
    if (isVector(condition)) {
        one = widened(one);
        other = widened(other);
    }
    return w.operation(Op::Select, w.body.regs[one].type, {condition, one, other});
}

Reg Widener::masked(Reg value, const std::function<Reg()>& before) {
    value = widened(value);
    return mask == kNone ? value : select(mask, value, before());
}

void Widener::pure(const Instr& i) {
    const bool varies = isVarying(i.result);
    std::vector<Reg> operands;
    for (std::size_t k = 0; k < i.operands.size(); ++k)
        operands.push_back(varies ? widened(made(i, k)) : made(i, k));
    const bool divides = (i.op == Op::Div || i.op == Op::Rem) && isInteger(i.type);
    if (divides && i.checked && !isSafe(i)) {
        const Reg zero = w.constant(types::Value::zero(i.type));
        const Reg limit = varies ? widened(zero) : zero;
        check(w.operation(Op::Ne, w.body.regs[limit].type, {operands[1], limit}));
    }
    // Proofs are about lanes that run.
    if (divides && varies) operands[1] = protect(operands[1], 1);
    // A function that is rounded from doubles is done again in lanes where it is not sure. Of a half each has an
    // ordinary value.
    if (varies && mask != kNone && i.op == Op::Math && i.type->is(TypeKind::Double))
        for (Reg& x : operands) x = select(mask, x, w.constant(types::Value::of(i.type, 0.5)));
    Instr& copy = clone(i);
    copy.operands = std::move(operands);
    if (divides) copy.checked = false;
    const bool isComparison = i.op >= Op::Eq && i.op <= Op::Ge;
    const Type* type = isComparison ? w.types.boolean() : i.type;
    if (varies) copy.type = vectorOf(i.type);
    result(i, varies ? vectorOf(type) : type, body.regs[i.result].ref);
}

// ---------------------------------------------------------------- memory

bool Widener::memory(const Instr& i) {
    switch (i.op) {
        case Op::Load: load(i); return true;
        case Op::Store: store(i); return true;
        case Op::Addr: address(i); return true;
        case Op::Elem: element(i); return true;
        case Op::Member: member(i); return true;
        case Op::LoadAt: loadAt(i); return true;
        case Op::StoreAt: storeAt(i); return true;
        case Op::Declare: {
            const std::uint32_t old = i.var.index;
            if (places[old] != kNone)
                w.emit(Op::Zero, localType(old), {places[old]});
            else
                clone(i).type = i.type ? localType(old) : nullptr;
            return true;
        }
        case Op::Contract: clone(i); return true;
        case Op::Copy:
        case Op::Zero: {
            Instr& copy = clone(i);
            copy.type = w.body.regs[copy.operands[0]].type;
            return true;
        }
        default: return false;
    }
}

void Widener::load(const Instr& i) {
    if (i.var.space != Space::Local) {
        clone(i);
        return result(i, i.type);
    }
    const Type* type = localType(i.var.index);
    if (places[i.var.index] != kNone)
        w.emit(Op::LoadAt, type, {places[i.var.index]});
    else
        clone(i).type = type;
    result(i, type);
}

void Widener::store(const Instr& i) {
    if (i.var.space != Space::Local) {
        clone(i);
        return;
    }
    const std::uint32_t old = i.var.index;
    const Type* type = localType(old);
    Reg value = made(i, 0);
    if (places[old] != kNone) {
        if (facts.locals[old])
            value = masked(value, [&] { return w.operation(Op::LoadAt, type, {places[old]}); });
        w.emit(Op::StoreAt, type, {places[old], value});
        return;
    }
    if (facts.locals[old]) value = masked(value, [&] { return w.load(locals[old]); });
    w.store(locals[old], value);
}

void Widener::address(const Instr& i) {
    if (i.var.space == Space::Local && places[i.var.index] != kNone) {
        regs[i.result] = places[i.var.index];
        return;
    }
    Instr& copy = clone(i);
    if (i.var.space == Space::Local) copy.type = localType(i.var.index);
    result(i, copy.type, true);
}

/// The element's type in an array whose scalars may have become vectors.
void Widener::element(const Instr& i) {
    Reg index = made(i, 1);
    const Reg limit = made(i, 2);
    if (i.checked && !isSafe(i)) check(within(index, limit));
    if (isVector(index) && items.isConsecutive(i.operands[1])) {
        w.emit(Op::Lane, w.types.intType(), {index}).index = 0;
        index = w.result(w.types.intType(), false);
        leadsToFirst[i.result] = true;
    }
    if (isVector(index)) index = protect(index, 0);
    const ir::RegInfo array = w.body.regs[made(i, 0)];
    const bool isPart = body.regs[i.operands[0]].type->element != i.type;
    const Type* type = array.type->element;
    if (isPart) type = w.types.array(type, i.type->extent);
    Instr& copy = clone(i);
    copy.operands[1] = index;
    copy.type = type;
    copy.checked = false;
    const auto refLanes = std::max<std::int64_t>(array.lanes, lanesOf(w.body.regs[index].type));
    result(i, type, true, static_cast<std::uint32_t>(refLanes));
}

void Widener::member(const Instr& i) {
    const ir::RegInfo whole = w.body.regs[made(i, 0)];
    const Type* type = whole.type->structure->fields[i.index].type;
    clone(i).type = type;
    result(i, type, true, whole.lanes);
}

void Widener::loadAt(const Instr& i) {
    const ir::RegInfo ref = w.body.regs[made(i, 0)];
    Instr& copy = clone(i);
    if (leadsToFirst[i.operands[0]]) {
        copy.op = Op::LoadVector;
        copy.index = 1;
        copy.type = vectorOf(ref.type);
    } else if (ref.lanes == 0) {
        copy.type = ref.type;
    } else {
        copy.op = Op::Gather;
        copy.type = vectorOf(laneType(ref.type));
        if (mask != kNone) copy.operands.push_back(mask);
    }
    result(i, copy.type);
}

void Widener::storeAt(const Instr& i) {
    const Reg ref = made(i, 0);
    const ir::RegInfo info = w.body.regs[ref];
    Reg value = made(i, 1);
    if (info.lanes != 0) {
        STRC_ASSERT(lanesOf(info.type) != 0, "lanes write to memory that they share");
        std::vector<Reg> operands{ref, widened(value)};
        if (mask != kNone) operands.push_back(mask);
        const Type* type = w.body.regs[operands[1]].type;
        w.emit(Op::Scatter, type, std::move(operands));
        return;
    }
    if (lanesOf(info.type) != 0)
        value = masked(value, [&] { return w.operation(Op::LoadAt, info.type, {ref}); });
    w.emit(Op::StoreAt, info.type, {ref, value});
}

// ---------------------------------------------------------------- items

bool Widener::tape(const Instr& i) {
    switch (i.op) {
        case Op::Pop:
        case Op::Discard: {
            const Reg index = nextIndex(taken, Op::Pop);
            if (i.op == Op::Pop) regs[i.result] = widened(items.input(*this, i, index));
            advance(taken);
            return true;
        }
        case Op::Peek: peek(i); return true;
        case Op::Push: {
            const Reg index = given == kNone ? kNone : nextIndex(given, Op::Push);
            items.output(*this, i, made(i, 0), index);
            if (given != kNone) advance(given);
            return true;
        }
        case Op::Iter: {
            clone(i);
            const Reg first = w.result(i.type, false);
            const Reg numbers = w.operation(Op::LaneNumbers, vectorOf(i.type), {});
            regs[i.result] = w.operation(Op::Add, vectorOf(i.type), {widened(first), numbers});
            return true;
        }
        default: return false;
    }
}

/// The number of the next item, which the declared rate has room for.
Reg Widener::nextIndex(std::uint32_t counter, Op rate) {
    const Reg index = w.load(counter);
    if (!items.isRateProved(rate))
        check(w.operation(Op::Lt, w.types.intType(), {index, w.integer(items.rateOf(rate))}));
    return index;
}

void Widener::advance(std::uint32_t counter) {
    w.store(counter, w.operation(Op::Add, w.types.intType(), {w.load(counter), w.integer(1)}));
}

void Widener::peek(const Instr& i) {
    Reg index = made(i, 0);
    const bool isProved = !i.checked || isSafe(i);
    if (!isProved) {
        const Reg zero = isVector(index) ? widened(w.integer(0)) : w.integer(0);
        check(w.operation(Op::Ge, w.body.regs[zero].type, {index, zero}));
    }
    if (taken != kNone) {
        const Reg first = isVector(index) ? widened(w.load(taken)) : w.load(taken);
        index = w.operation(Op::Add, w.body.regs[first].type, {first, index});
    }
    if (!isProved) {
        const Reg limit =
            isVector(index) ? widened(w.integer(items.peekLimit())) : w.integer(items.peekLimit());
        check(w.operation(Op::Lt, w.body.regs[limit].type, {index, limit}));
    }
    if (isVector(index)) index = protect(index, 0);
    const Reg item = items.input(*this, i, index);
    regs[i.result] = isVarying(i.result) ? widened(item) : item;
}

/// At the end of a firing: has each lane taken and given as many items as are declared?
void Widener::checkCounts() {
    for (const auto& [counter, rate] : {std::pair{given, Op::Push}, std::pair{taken, Op::Pop}})
        if (counter != kNone && !items.isRateProved(rate))
            check(w.operation(Op::Eq, w.types.intType(),
                              {w.load(counter), w.integer(items.rateOf(rate))}));
}

// ---------------------------------------------------------------- control

void Widener::ret() {
    checkCounts();
    items.finish(*this);
}

void Widener::branch(const Instr& i) {
    const bool varies = isVarying(i.result);
    std::array<BlockId, 3> blocks{kNone, kNone, kNone};
    for (std::size_t side = 0; side < 2; ++side) {
        if (i.blocks[side] == kNone) continue;
        blocks[side] = w.inBlock([&] {
            block(i.blocks[side]);
            if (i.result == kNone) return;
            w.emit(Op::Yield, nullptr, {varies ? widened(yielded) : yielded});
        });
    }
    Instr& copy = w.emit(Op::If, i.type, {made(i, 0)});
    copy.blocks = blocks;
    if (i.result == kNone) return;
    if (varies) copy.type = vectorOf(i.type);
    result(i, copy.type, body.regs[i.result].ref);
}

/// Both sides, one after the other, each for the lanes that want it.
void Widener::varyingBranch(const Instr& i) {
    const Reg condition = made(i, 0), around = mask;
    const Type* yields = i.result == kNone ? nullptr : vectorOf(i.type);
    const Type* booleans = vectorOf(w.types.boolean());
    const bool moves = movesTapes(body, i.blocks[0]) || movesTapes(body, i.blocks[1]);
    const std::array<std::uint32_t, 2> counters{taken, given};
    std::array<Reg, 2> before{}, any{}, results{kNone, kNone};
    std::array<std::array<Reg, 2>, 2> after{};
    for (std::size_t c = 0; moves && c < 2; ++c) before[c] = w.load(counters[c]);
    for (std::size_t side = 0; side < 2; ++side) {
        mask = side == 0 ? condition : w.operation(Op::Not, booleans, {condition});
        if (around != kNone) mask = w.operation(Op::And, booleans, {around, mask});
        for (std::size_t c = 0; moves && c < 2; ++c) w.store(counters[c], before[c]);
        if (moves) any[side] = w.operation(Op::Any, w.types.boolean(), {mask});
        results[side] = maskedSide(i.blocks[side], mask, yields);
        for (std::size_t c = 0; moves && c < 2; ++c) after[side][c] = w.load(counters[c]);
    }
    mask = around;
    for (std::size_t c = 0; moves && c < 2; ++c) {
        // All lanes that run go on from the same item.
        const Type* boolean = w.types.boolean();
        const Reg both = w.operation(Op::And, boolean, {any[0], any[1]});
        const Reg isSame = w.operation(Op::Eq, w.types.intType(), {after[0][c], after[1][c]});
        check(w.operation(Op::Or, boolean, {w.operation(Op::Not, boolean, {both}), isSame}));
        w.store(counters[c], select(any[0], after[0][c], after[1][c]));
    }
    if (yields) regs[i.result] = select(condition, results[0], results[1]);
}

/// What the side yields, if it does.
Reg Widener::maskedSide(BlockId id, Reg runs, const Type* yieldType) {
    if (!isCostly(body, id)) {
        block(id);
        return yieldType ? widened(yielded) : kNone;
    }
    const Reg isWanted = w.operation(Op::Any, w.types.boolean(), {runs});
    const BlockId inside = w.inBlock([&] {
        block(id);
        if (yieldType) w.emit(Op::Yield, nullptr, {widened(yielded)});
    });
    BlockId outside = kNone;
    if (yieldType)
        outside = w.inBlock([&] {
            const Reg zero = w.constant(types::Value::zero(yieldType->element));
            w.emit(Op::Yield, nullptr, {widened(zero)});
        });
    w.emit(Op::If, yieldType, {isWanted}).blocks = {inside, outside, kNone};
    return yieldType ? w.result(yieldType, false) : kNone;
}

void Widener::loop(const Instr& i) {
    std::array<BlockId, 3> blocks{kNone, kNone, kNone};
    for (std::size_t k = 0; k < 3; ++k)
        if (i.blocks[k] != kNone)
            blocks[k] = w.inBlock([&] {
                block(i.blocks[k]);
                if (k == 0) w.emit(Op::Yield, nullptr, {yielded});
            });
    clone(i).blocks = blocks;
    items.afterLoop(*this);
}

// ---------------------------------------------------------------- checks

/// Gives up unless it holds, in all lanes that run.
void Widener::check(Reg holds) {
    if (isVector(holds)) {
        const Type* booleans = w.body.regs[holds].type;
        if (mask != kNone)
            holds = w.operation(Op::Or, booleans, {holds, w.operation(Op::Not, booleans, {mask})});
        holds = w.operation(Op::Every, w.types.boolean(), {holds});
    }
    items.require(*this, holds);
}

Reg Widener::within(Reg index, Reg limit) {
    const bool inLanes = isVector(index);
    const Reg zero = inLanes ? widened(w.integer(0)) : w.integer(0);
    const Type* type = w.body.regs[zero].type;
    const Reg isSome = w.operation(Op::Ge, type, {index, zero});
    const Reg isLess = w.operation(Op::Lt, type, {index, inLanes ? widened(limit) : limit});
    return w.operation(Op::And, inLanes ? vectorOf(w.types.boolean()) : w.types.boolean(),
                       {isSome, isLess});
}

/// A value with which lanes that do not run cannot fail.
Reg Widener::protect(Reg reg, std::int64_t harmless) {
    if (mask == kNone || !isVector(reg)) return reg;
    const Type* type = w.body.regs[reg].type->element;
    types::Value value = types::Value::zero(type);
    if (type->is(TypeKind::Long))
        value = types::Value::of(type, harmless);
    else
        value = types::Value::of(type, static_cast<std::int32_t>(harmless));
    return select(mask, reg, w.constant(std::move(value)));
}

}  // namespace strc::vector
