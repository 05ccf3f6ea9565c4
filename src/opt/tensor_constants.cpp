#include "opt/detail/tensor_constants.h"

#include <algorithm>

namespace strc::opt {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;

const ir::StoredArray* storedOf(const elab::Kernel& kernel, const Instr& instr) {
    if (instr.op != Op::Load || instr.var.space != Space::Field) return nullptr;
    const std::uint32_t field = instr.var.index;
    if (field >= kernel.storedTensors.size() || kernel.storedTensors[field] == ir::kNone)
        return nullptr;
    const ir::StoredArray& array = kernel.code.stored[kernel.storedTensors[field]];
    return array.bytes ? &array : nullptr;
}

std::vector<bool> findConstants(const elab::Kernel& kernel) {
    const ir::Body& body = *kernel.code.work;
    std::vector<bool> are(body.regs.size());
    for (const Instr& instr : body.blocks[body.entry].instrs) {
        if (instr.result == ir::kNone) continue;
        const bool isMade =
            instr.op == Op::Tensor && std::all_of(instr.operands.begin(), instr.operands.end(),
                                                  [&](Reg operand) { return are[operand]; });
        are[instr.result] = instr.op == Op::Const || isMade || storedOf(kernel, instr);
    }
    return are;
}

std::vector<int> countUses(const ir::Body& body) {
    std::vector<int> uses(body.regs.size());
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs)
            for (Reg operand : instr.operands) ++uses[operand];
    return uses;
}

}  // namespace strc::opt
