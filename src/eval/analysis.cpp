#include "eval/detail/analysis.h"

#include <algorithm>

#include "base/assert.h"

namespace strc::eval {

using ir::Instr;
using ir::kNone;
using ir::Op;
using ir::Reg;
using ir::Space;

Analysis::Analysis(const ir::Body& body)
    : body(body), regs(body.regs.size()), changes(body.locals.size()) {
    walk(body.entry);
    extendOperands();
    findAliases();
    deaths.resize(next + 1);
    for (Reg reg = 0; reg < regs.size(); ++reg)
        if (regs[reg].def) deaths[std::max(regs[reg].lastUse, regs[reg].defined)].push_back(reg);
}

/// A sum that is only an index, a product with a literal that is only added to something.
bool Analysis::isFusedInt(const Instr& instr, const RegFacts& facts) const {
    const Instr& user = *facts.user;
    bool left = literal(instr.operands[0]), right = literal(instr.operands[1]);
    if (left && right) return false;
    switch (instr.op) {
        case Op::Add:
        case Op::Sub:
            if (instr.op == Op::Sub && !right) return false;
            return user.op == Op::Peek ||
                   (user.op == Op::Elem && user.operands[1] == instr.result &&
                    user.operands[0] != instr.result && user.operands[2] != instr.result);
        case Op::Mul: return (left || right) && user.op == Op::Add;
        case Op::Shl: return right && user.op == Op::Add;
        default: return false;
    }
}

void Analysis::walk(ir::BlockId block) {
    for (const Instr& instr : body.blocks[block].instrs) visit(instr, block);
}

void Analysis::visit(const Instr& instr, ir::BlockId block) {
    std::uint32_t position = next++;
    ends.resize(next, 0);
    for (Reg operand : instr.operands) use(operand, instr, block, position);
    note(instr, position);
    if (instr.op == Op::Loop) {
        outlived.emplace_back();
        for (ir::BlockId inner : {instr.blocks[1], instr.blocks[2], instr.blocks[0]})
            if (inner != kNone) walk(inner);
    } else if (instr.op == Op::If) {
        for (ir::BlockId inner : {instr.blocks[0], instr.blocks[1]})
            if (inner != kNone) walk(inner);
    }
    if (instr.op == Op::Loop || instr.op == Op::If) {
        ends[position] = next++;
        ends.resize(next, 0);
    }
    if (instr.op == Op::Loop) {
        for (Reg reg : outlived.back()) regs[reg].lastUse = ends[position];
        outlived.pop_back();
    }
    if (instr.result == kNone) return;
    RegFacts& facts = regs[instr.result];
    facts.def = &instr;
    facts.defined = instr.op == Op::If ? ends[position] : position;
    facts.block = block;
    facts.loopDepth = static_cast<std::uint32_t>(outlived.size());
    facts.barriers = barriers;
}

// A register that comes from outside of a loop is wanted again in the next iteration.
void Analysis::use(Reg reg, const Instr& user, ir::BlockId block, std::uint32_t position) {
    RegFacts& facts = regs[reg];
    STRC_ASSERT(facts.def, "a register is used before its definition");
    facts.lastUse = std::max(facts.lastUse, position);
    ++facts.uses;
    facts.user = &user;
    facts.useBlock = block;
    facts.useBarriers = barriers;
    if (facts.loopDepth < outlived.size()) outlived[facts.loopDepth].push_back(reg);
}

void Analysis::note(const Instr& instr, std::uint32_t position) {
    ir::Effects effects = ir::info(instr.op).effects;
    if (effects == ir::Effects::Control || effects == ir::Effects::Ordered ||
        effects == ir::Effects::Build)
        ++barriers;
    bool writesLocal = instr.op == Op::Store || instr.op == Op::Declare;
    if (writesLocal && instr.var.space == Space::Local)
        changes[instr.var.index].push_back(position);
    bool isInt =
        instr.type && instr.type->is(types::TypeKind::Int) &&
        (instr.op == Op::Add || instr.op == Op::Sub || instr.op == Op::Mul || instr.op == Op::Shl);
    if (isInt || instr.op == Op::Elem || instr.op == Op::Member || instr.op == Op::Convert)
        derived.push_back(&instr);
    if (instr.op == Op::Concat || (instr.type && instr.type->is(types::TypeKind::String)))
        strings.push_back(position);
}

bool Analysis::hasStrings(std::uint32_t loop) const {
    auto found = std::lower_bound(strings.begin(), strings.end(), loop);
    return found != strings.end() && *found < ends[loop];
}

// A ref that is made of another one may be no more than that and an offset: the other one lives as
// long. What is fused needs all of its operands as long as it is used. Later ones first, because they
// may be made of earlier ones.
void Analysis::extendOperands() {
    for (auto at = derived.rbegin(); at != derived.rend(); ++at) {
        const Instr& instr = **at;
        RegFacts& facts = regs[instr.result];
        if (facts.uses == 0) continue;
        facts.fused = isFused(instr, facts);
        for (Reg operand : instr.operands)
            if (facts.fused || (operand == instr.operands[0] && body.regs[instr.result].ref))
                regs[operand].lastUse = std::max(regs[operand].lastUse, facts.lastUse);
    }
}

bool Analysis::isFused(const Instr& instr, const RegFacts& facts) const {
    bool near = facts.uses == 1 && facts.useBlock == facts.block;
    if (instr.op != Op::Elem && instr.op != Op::Member && instr.op != Op::Convert)
        return near && isFusedInt(instr, facts);
    if (instr.op == Op::Convert) {
        // Between the ints nothing changes; a float that only a function of doubles uses is widened there.
        const ir::Type* from = body.regs[instr.operands[0]].type;
        if (instr.type->is(types::TypeKind::Int))
            return from->is(types::TypeKind::Bit) || from->is(types::TypeKind::Boolean) ||
                   from == instr.type;
        return instr.type->is(types::TypeKind::Double) && from->is(types::TypeKind::Float) &&
               near && facts.user->op == Op::Math;
    }
    // An element whose address is used once, by a load or store of it or by the next index, is computed
    // there if no effect comes between: only which of two faults is found first can differ.
    Op user = facts.user->op;
    return instr.op == Op::Elem && near && facts.useBarriers == facts.barriers &&
           facts.user->operands[0] == instr.result &&
           (user == Op::LoadAt || user == Op::StoreAt || user == Op::Elem);
}

// A variable serves as the register it is loaded to if it does not change while the register lives.
void Analysis::findAliases() {
    for (RegFacts& facts : regs) {
        if (!facts.def || facts.uses == 0) continue;
        const Instr& def = *facts.def;
        bool reads = def.op == Op::Load || def.op == Op::Addr || def.op == Op::Extent;
        if (!reads || def.var.space != Space::Local) continue;
        facts.alias = !changesWithin(def.var.index, facts.defined, facts.lastUse);
    }
}

bool Analysis::changesWithin(std::uint32_t local, std::uint32_t after, std::uint32_t before) const {
    const std::vector<std::uint32_t>& positions = changes[local];
    auto found = std::upper_bound(positions.begin(), positions.end(), after);
    return found != positions.end() && *found < before;
}

}  // namespace strc::eval
