// Checks that a body requires of shapes and arguments (`require`).

#include <algorithm>

#include "tensor/expander.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using types::TypeKind;

/// Also where the run decides whether it comes there, as the rules of operations do.
void BodyExpander::demand(const Instr& instr) {
    const std::optional<Value>& holds = constants[instr.operands[0]];
    const std::optional<Value>& text = constants[instr.operands[1]];
    if (!holds) stopUnknown(instr, "the condition of 'require'");
    if (holds->bytes[0] != 0) return;
    if (!text) stopUnknown(instr, "the text of 'require'");
    throw Stop{{false, {}, text->bytes, instr.range}};
}

bool BodyExpander::makesDemands(const Instr& control) const {
    auto isOne = [&](const Instr& instr) { return instr.op == Op::Require || makesDemands(instr); };
    return std::any_of(control.blocks.begin(), control.blocks.end(), [&](ir::BlockId id) {
        return id != ir::kNone &&
               std::any_of(from.blocks[id].instrs.begin(), from.blocks[id].instrs.end(), isOne);
    });
}

/// Texts of demands are made of numbers that are known here, and of no use later.
bool BodyExpander::keepsAsText(const Instr& instr) {
    const bool isText = instr.result != ir::kNone && instr.type && instr.type->is(TypeKind::String);
    if (!isText || (instr.op != Op::Const && ir::info(instr.op).effects != ir::Effects::Pure))
        return false;
    constants[instr.result] = valueOf(instr);
    return constants[instr.result].has_value();
}

Reg BodyExpander::scalarReg(Reg reg) {
    if (regs[reg] != ir::kNone || !constants[reg] || !constants[reg]->type->is(TypeKind::String))
        return regs[reg];
    return w.constant(*constants[reg]);
}

}  // namespace strc::tensor
