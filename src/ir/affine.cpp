#include "ir/affine.h"

#include <algorithm>

namespace strc::ir {

using types::TypeKind;

namespace {

bool isLocal(const Instr& instr, Op op) {
    return instr.op == op && instr.var.space == Space::Local;
}

/// Rounds while start + k * step compares so with the limit.
std::int64_t tripsOf(Op comparison, std::int64_t start, std::int64_t step, std::int64_t limit) {
    const bool isUp = comparison == Op::Lt || comparison == Op::Le;
    const bool isDown = comparison == Op::Gt || comparison == Op::Ge;
    if (comparison == Op::Le) ++limit;
    if (comparison == Op::Ge) --limit;
    if (isUp && step > 0) return start >= limit ? 0 : (limit - start + step - 1) / step;
    if (isDown && step < 0) return start <= limit ? 0 : (start - limit - step - 1) / -step;
    return -1;
}

/// Does anything leave a loop whose blocks these are, before its condition says so?
bool leaves(const Body& body, BlockId id, bool isInLoop) {
    if (id == kNone) return false;
    for (const Instr& instr : body.blocks[id].instrs) {
        if (instr.op == Op::Return) return true;
        if (!isInLoop && (instr.op == Op::Break || instr.op == Op::Continue)) return true;
        for (BlockId block : instr.blocks)
            if (leaves(body, block, isInLoop || instr.op == Op::Loop)) return true;
    }
    return false;
}

}  // namespace

Affine::Affine(const Body& of) : body(of), definitions(of.regs.size()) {
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs)
            if (instr.result != kNone) definitions[instr.result] = &instr;
    findConstantLocals();
}

/// Ints with one store, of a constant, in front of all loads and control.
void Affine::findConstantLocals() {
    std::map<std::uint32_t, int> touched;
    for (const Instr& instr : body.blocks[body.entry].instrs) {
        const bool isStore = isLocal(instr, Op::Store) && instr.type->is(TypeKind::Int);
        if (isStore && touched[instr.var.index] == 0)
            if (const auto value = constant(instr.operands[0]))
                constantLocals[instr.var.index] = *value;
        if (isLocal(instr, Op::Load) || isStore) ++touched[instr.var.index];
        for (BlockId block : instr.blocks)
            forEach(body, block, [&](const Instr& inner) {
                if (isLocal(inner, Op::Load) || isLocal(inner, Op::Store))
                    ++touched[inner.var.index];
            });
    }
    std::map<std::uint32_t, int> stores;
    forEach(body, body.entry, [&](const Instr& instr) {
        if (isLocal(instr, Op::Store)) ++stores[instr.var.index];
    });
    std::erase_if(constantLocals, [&](const auto& entry) { return stores[entry.first] != 1; });
}

std::optional<std::int64_t> Affine::constant(Reg reg) const {
    const Instr* instr = definitions[reg];
    if (!instr || !instr->type || !instr->type->is(TypeKind::Int)) return std::nullopt;
    if (instr->op == Op::Const) return instr->value.toInt();
    if (!isLocal(*instr, Op::Load)) return std::nullopt;
    auto found = constantLocals.find(instr->var.index);
    return found == constantLocals.end() ? std::nullopt : std::optional(found->second);
}

bool Affine::isCounter(Reg reg, std::uint32_t local) const {
    return isLocal(*definitions[reg], Op::Load) && definitions[reg]->var.index == local;
}

/// The last instruction that stores the local, if no branch or loop behind it may.
const Instr* Affine::lastStore(std::span<const Instr> before, std::uint32_t local) const {
    for (std::size_t k = before.size(); k-- > 0;) {
        const Instr& instr = before[k];
        if (isLocal(instr, Op::Store) && instr.var.index == local) return &instr;
        bool changes = isLocal(instr, Op::Declare) && instr.var.index == local;
        for (BlockId block : instr.blocks)
            forEach(body, block, [&](const Instr& inner) {
                changes = changes || (isLocal(inner, Op::Store) && inner.var.index == local);
            });
        if (changes) return nullptr;
    }
    return nullptr;
}

std::optional<Induction> Affine::induction(std::span<const Instr> before, const Instr& loop) const {
    if (loop.op != Op::Loop || loop.flag || loop.blocks[2] == kNone) return std::nullopt;
    const auto& condition = body.blocks[loop.blocks[0]].instrs;
    const auto& step = body.blocks[loop.blocks[2]].instrs;
    constexpr std::size_t kInstrs =
        4;  // counter, number, what is done with them, what becomes of it
    if (condition.size() != kInstrs || step.size() != kInstrs || !isLocal(step.back(), Op::Store))
        return std::nullopt;
    const std::uint32_t counter = step.back().var.index;
    const Instr* begin = lastStore(before, counter);
    const Instr& comparison = *definitions[condition.back().operands[0]];
    const Instr& sum = *definitions[step.back().operands[0]];
    if (!begin || comparison.operands.size() != 2 || sum.operands.size() != 2 ||
        (sum.op != Op::Add && sum.op != Op::Sub) || !isCounter(comparison.operands[0], counter) ||
        !isCounter(sum.operands[0], counter))
        return std::nullopt;
    const auto start = constant(begin->operands[0]), limit = constant(comparison.operands[1]),
               by = constant(sum.operands[1]);
    if (!start || !limit || !by) return std::nullopt;
    bool isChanged = leaves(body, loop.blocks[1], false);
    forEach(body, loop.blocks[1], [&](const Instr& instr) {
        const bool changes = isLocal(instr, Op::Store) || isLocal(instr, Op::Declare);
        isChanged = isChanged || (changes && instr.var.index == counter);
    });
    Induction result{counter, *start, sum.op == Op::Add ? *by : -*by, 0, begin};
    result.trips = tripsOf(comparison.op, *start, result.step, *limit);
    if (isChanged || result.trips < 0) return std::nullopt;
    return result;
}

const Induction* Affine::loop(std::uint32_t counter) const {
    auto found = loops.find(counter);
    return found == loops.end() ? nullptr : &found->second;
}

namespace {

void addTo(std::map<std::uint32_t, std::int64_t>& to,
           const std::map<std::uint32_t, std::int64_t>& terms, std::int64_t factor) {
    for (auto [name, step] : terms) {
        to[name] += factor * step;
        if (to[name] == 0) to.erase(name);
    }
}

AffineForm plus(AffineForm a, const AffineForm& b, std::int64_t factor) {
    a.constant += factor * b.constant;
    addTo(a.trips, b.trips, factor);
    addTo(a.fixed, b.fixed, factor);
    return a;
}

bool isConstant(const AffineForm& form) { return form.trips.empty() && form.fixed.empty(); }

}  // namespace

std::optional<AffineForm> Affine::fixedOr(Reg reg) const {
    if (inside && (*inside)[reg]) return std::nullopt;
    return AffineForm{0, {}, {{reg, 1}}};
}

std::optional<AffineForm> Affine::value(Reg reg) const {
    const Instr* instr = definitions[reg];
    if (!instr) return std::nullopt;
    if (auto form = compute(*instr)) return form;
    return fixedOr(reg);
}

std::optional<AffineForm> Affine::compute(const Instr& instr) const {
    if (!instr.type || !instr.type->is(TypeKind::Int)) return std::nullopt;
    if (instr.op == Op::Const) return AffineForm{instr.value.toInt(), {}, {}};
    if (const auto known = constant(instr.result)) return AffineForm{*known, {}, {}};
    if (isLocal(instr, Op::Load)) {
        const Induction* found = loop(instr.var.index);
        if (!found) return std::nullopt;
        return AffineForm{found->start, {{found->counter, found->step}}, {}};
    }
    if (instr.op == Op::Neg) {
        const auto a = value(instr.operands[0]);
        return a ? std::optional(plus({}, *a, -1)) : std::nullopt;
    }
    if (instr.op != Op::Add && instr.op != Op::Sub && instr.op != Op::Mul) return std::nullopt;
    const auto a = value(instr.operands[0]), b = value(instr.operands[1]);
    if (!a || !b) return std::nullopt;
    if (instr.op != Op::Mul) return plus(*a, *b, instr.op == Op::Add ? 1 : -1);
    if (isConstant(*a)) return plus({}, *b, a->constant);
    if (isConstant(*b)) return plus({}, *a, b->constant);
    return std::nullopt;
}

std::optional<AffineAddress> Affine::address(Reg ref) const {
    const Instr* instr = definitions[ref];
    if (!instr) return std::nullopt;
    if (instr->op == Op::Addr) return AffineAddress{instr->var, {}};
    if (instr->op != Op::Elem && instr->op != Op::Member) return std::nullopt;
    auto from = address(instr->operands[0]);
    if (!from) return std::nullopt;
    if (instr->op == Op::Member) {
        const types::Type* structure = body.regs[instr->operands[0]].type;
        from->offset.constant += structure->structure->fields[instr->index].offset;
        return from;
    }
    if (instr->operands.size() > 3) return std::nullopt;
    const auto index = value(instr->operands[1]);
    if (!index) return std::nullopt;
    from->offset = plus(from->offset, *index, types::sizeOf(instr->type));
    return from;
}

}  // namespace strc::ir
