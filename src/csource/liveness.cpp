#include "csource/detail/liveness.h"

namespace strc::csource {

using ir::Effects;
using ir::Instr;
using ir::Op;

std::vector<ir::VarRef> rootsOf(const ir::Body& body) {
    std::vector<ir::VarRef> roots(body.regs.size());
    const auto look = [&](const auto& self, ir::BlockId block) -> void {
        if (block == ir::kNone) return;
        for (const Instr& instr : body.blocks[block].instrs) {
            if (instr.op == Op::Addr) roots[instr.result] = instr.var;
            if (instr.op == Op::Elem || instr.op == Op::Member)
                roots[instr.result] = roots[instr.operands[0]];
            for (ir::BlockId inner : instr.blocks) self(self, inner);
        }
    };
    look(look, body.entry);
    return roots;
}

Liveness::Liveness(const ir::Body& wanted, const ir::Proofs& proved, bool areChecked)
    : body(wanted),
      proofs(proved),
      checks(areChecked),
      roots(rootsOf(body)),
      definitions(body.regs.size()),
      owners(body.blocks.size()),
      stores(body.locals.size()),
      useCounts(body.regs.size()) {
    visit(body.entry, nullptr);
    for (const auto& [instr, block] : all)
        if (isEffect(*instr)) mark(*instr);
    while (!todo.empty()) {
        const Instr* next = todo.back();
        todo.pop_back();
        for (ir::Reg reg : next->operands)
            if (definitions[reg]) mark(*definitions[reg]);
        markLooks(*next);
        if (next->op == Op::Loop || (next->op == Op::If && next->result != ir::kNone))
            for (ir::BlockId block : next->blocks)
                if (block != ir::kNone && !body.blocks[block].instrs.empty() &&
                    body.blocks[block].instrs.back().op == Op::Yield)
                    mark(body.blocks[block].instrs.back());
        if (const Instr* owner = owners[places.at(next)]) mark(*owner);
    }
    for (const Instr* instr : live)
        for (ir::Reg reg : instr->operands) ++useCounts[reg];
}

void Liveness::visit(ir::BlockId id, const Instr* owner) {
    if (id == ir::kNone) return;
    owners[id] = owner;
    for (const Instr& instr : body.blocks[id].instrs) {
        all.emplace_back(&instr, id);
        places.emplace(&instr, id);
        if (instr.result != ir::kNone) definitions[instr.result] = &instr;
        if ((instr.op == Op::Store || instr.op == Op::Declare) &&
            instr.var.space == ir::Space::Local)
            stores[instr.var.index].push_back(&instr);
        if (isLocalWrite(instr)) stores[roots[instr.operands[0]].index].push_back(&instr);
        for (ir::BlockId inner : instr.blocks) visit(inner, &instr);
    }
}

/// The locals that it looks at: scalars, and aggregates of which it has a ref.
void Liveness::markLooks(const Instr& instr) {
    if (instr.op == Op::Load && instr.var.space == ir::Space::Local) markLoads(instr.var);
    if (instr.op == Op::Elem || instr.op == Op::Member) return;
    for (std::size_t k = isLocalWrite(instr) ? 1 : 0; k < instr.operands.size(); ++k)
        if (const ir::VarRef root = roots[instr.operands[k]];
            root.space == ir::Space::Local && root.index != ir::kNone)
            markLoads(root);
}

/// Nothing but a change of a local aggregate of the body's own.
bool Liveness::isLocalWrite(const Instr& instr) const {
    if (instr.op != Op::StoreAt && instr.op != Op::Zero && instr.op != Op::Copy &&
        instr.op != Op::PeekInto)
        return false;
    const ir::VarRef root = roots[instr.operands[0]];
    return root.space == ir::Space::Local && root.index != ir::kNone && root.index >= body.params;
}

void Liveness::mark(const Instr& instr) {
    if (live.insert(&instr).second) todo.push_back(&instr);
}

/// Somebody looks at the local: what is stored there matters.
void Liveness::markLoads(ir::VarRef local) {
    if (!loaded.insert(local.index).second) return;
    for (const Instr* store : stores[local.index]) mark(*store);
}

bool Liveness::hasFault(const Instr& instr) const {
    switch (instr.op) {
        case Op::Require: return true;
        case Op::Check:
        case Op::CheckExtent: return checks;
        case Op::Elem:
        case Op::Peek:
        case Op::PeekInto: return checks && instr.checked && !proofs.contains(&instr);
        case Op::Div:
        case Op::Rem:
            return checks && instr.checked && !proofs.contains(&instr) &&
                   !instr.type->is(types::TypeKind::Float) &&
                   !instr.type->is(types::TypeKind::Double) &&
                   !instr.type->is(types::TypeKind::Complex) && !instr.type->isFloatN();
        default: return false;
    }
}

bool Liveness::isEffect(const Instr& instr) const {
    if (instr.op == Op::Check) return checks;
    if (instr.op == Op::Require || instr.op == Op::CheckExtent || hasFault(instr)) return true;
    if (instr.op == Op::If || instr.op == Op::Declare || instr.op == Op::Yield) return false;
    if (instr.op == Op::Store && instr.var.space == ir::Space::Local) return false;
    if (isLocalWrite(instr)) return false;
    const Effects effects = ir::info(instr.op).effects;
    return effects != Effects::Pure && effects != Effects::Read;
}

}  // namespace strc::csource
