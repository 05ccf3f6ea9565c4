// Types with fewer digits than any scalar of the language: half, bfloat16, int8. Memory has them, registers the wider ones.

#include "tensor/detail/numbers.h"
#include "types/tensor_elements.h"

namespace strc::tensor {

using ir::Op;
using ir::Reg;
using types::TypeKind;

bool Numbers::isRounded(const Type* element) {
    return element->is(TypeKind::Half) || element->is(TypeKind::BFloat16);
}

Reg Numbers::rounded(Reg value, const Type* element) {
    return types::isNarrow(element->kind) ? widened(narrowed(value, element)) : value;
}

Reg Numbers::widened(Reg value) {
    const Type* element = w.body.regs[value].type;
    const Type* wide = registerType(element, w.types);
    return wide == element ? value : w.operation(Op::Convert, wide, {value});
}

/// What has just been widened is that already.
Reg Numbers::narrowed(Reg value, const Type* element) {
    if (!types::isNarrow(element->kind)) return value;
    const auto& instrs = w.body.blocks[w.block].instrs;
    if (!instrs.empty() && instrs.back().op == Op::Convert && instrs.back().result == value &&
        w.body.regs[instrs.back().operands[0]].type == element)
        return instrs.back().operands[0];
    return w.operation(Op::Convert, element, {value});
}

}  // namespace strc::tensor
