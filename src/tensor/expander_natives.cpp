// Calls of native functions that take or give tensors: what is handed over lies in memory.

#include "tensor/expander.h"

namespace strc::tensor {

using ir::Instr;
using ir::Reg;
using ir::Space;
using ir::VarRef;

bool BodyExpander::handsTensors(const Instr& instr) const {
    if (instr.callee.kind != ir::CalleeKind::Native) return false;
    if (instr.result != ir::kNone && isTensor(from.regs[instr.result].type)) return true;
    for (Reg operand : instr.operands)
        if (isTensor(from.regs[operand].type) && !from.regs[operand].ref) return true;
    return false;
}

std::string BodyExpander::nameOfNative(const Instr& call) const {
    const ir::Native& native = in.natives[call.callee.index];
    return "'" + native.package + "." + native.name + "'";
}

void BodyExpander::callNative(const Instr& instr) {
    const ir::Native& native = in.natives[instr.callee.index];
    Instr made = instr;
    for (std::size_t k = 0; k < instr.operands.size(); ++k)
        made.operands[k] = isTensor(native.params[k]) ? tensorArgument(instr, k, native.params[k])
                                                      : scalarReg(instr.operands[k]);
    const bool givesTensor = isTensor(native.result);
    if (givesTensor) {
        made.operands.push_back(placeResult(instr, native.result));
        made.result = ir::kNone;
        made.type = nullptr;
    }
    w.body.blocks[w.block].instrs.push_back(std::move(made));
    note(instr);
    if (instr.result != ir::kNone && !givesTensor)
        regs[instr.result] = w.result(from.regs[instr.result].type, false);
}

Reg BodyExpander::tensorArgument(const Instr& instr, std::size_t k, const Type* declared) {
    const NodePtr value = inMemory(instr, k);
    if (!types::compatible(declared, value->type))
        stop(instr, nameOfNative(instr),
             "argument " + std::to_string(k + 1) + " is declared as " + types::toString(declared) +
                 " and gets " + types::toString(value->type));
    return w.address(value->var, value->type);
}

Reg BodyExpander::placeResult(const Instr& instr, const Type* declared) {
    const std::string name = nameOfNative(instr);
    if (!isConcrete(declared)) stopUnknown(instr, "the shape of the result of " + name);
    checkExtents(instr, name, declared->dims);
    checkComputable(instr, declared);
    const Type* array = storageOf(declared, types);
    const VarRef place{Space::Local, w.local("", array)};
    define(instr, memory(declared, place, array));
    return w.address(place, declared);
}

}  // namespace strc::tensor
