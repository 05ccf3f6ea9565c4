// Items that come and go, and what is shown.

#include "tensor/expander.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using ir::VarRef;

const Type* BodyExpander::arriving(const Instr& instr, std::int64_t offset) {
    const auto period = static_cast<std::int64_t>(world.input.size());
    if (period == 1) return world.input[0];
    if (depth > 0 || offset < 0)
        stop(instr,
             "the items that arrive are of different types, and which of them this takes "
             "depends on the run");
    return world.input[static_cast<std::size_t>((popped + offset) % period)];
}

void BodyExpander::take(const Instr& instr) {
    std::int64_t offset = 0;
    if (instr.op == Op::Peek) {
        const auto& known = constants[instr.operands[0]];
        offset = known ? known->toInt() : -1;
    }
    const Type* type = arriving(instr, offset);
    checkComputable(instr, type);
    const std::uint32_t local = w.local("", world.inputStorage);
    const Reg to = w.address(local);
    if (instr.op == Op::Pop)
        w.emit(Op::PopInto, world.inputStorage, {to});
    else
        w.emit(Op::PeekInto, world.inputStorage, {to, regs[instr.operands[0]]});
    w.body.blocks[w.block].instrs.back().checked = instr.checked;
    if (instr.op == Op::Pop) ++popped;
    define(instr, memory(type, {Space::Local, local}, world.inputStorage));
}

void BodyExpander::discard(const Instr& instr) {
    Instr made = instr;
    made.type = world.inputStorage;
    w.body.blocks[w.block].instrs.push_back(std::move(made));
    ++popped;
}

void BodyExpander::push(const Instr& instr) {
    const NodePtr value = nodeOf(instr, 0);
    checkComputable(instr, value->type);
    world.output.push_back(value->type);
    if (depth > 0) world.isOutputRegular = false;
    const Type* storage = world.outputStorage;
    if (!storage) storage = storageOf(value->type, types);  // the first time, to see the types
    VarRef var = value->var;
    if (value->kind != NodeKind::Memory || value->array != storage) {
        var = {Space::Local, w.local("", storage)};
        elements.computeInto(value, var, storage);
    }
    const Reg ref = w.address(var, storage);
    w.emit(Op::PushFrom, storage, {ref}).checked = instr.checked;
}

void BodyExpander::print(const Instr& instr) {
    NodePtr value = nodeOf(instr, 0);
    checkComputable(instr, value->type);
    materialise(value);
    if (value->kind == NodeKind::Number) value = elements.compute(value, "");
    w.emit(Op::Print, value->type, {w.address(value->var, value->array)});
}

}  // namespace strc::tensor
