// Items that come and go, and what is shown.

#include "tensor/expander.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using ir::VarRef;
using types::TypeKind;

const Type* BodyExpander::arriving(const Instr& instr, std::int64_t offset) {
    const auto period = static_cast<std::int64_t>(in.input.size());
    if (period == 1) return in.input[0];
    if (depth > 0 || offset < 0)
        stopOfRun(instr, describe(instr),
                  "the items that arrive are of different types, and which of them this takes "
                  "depends on the run");
    return in.input[static_cast<std::size_t>((popped + offset) % period)];
}

void BodyExpander::take(const Instr& instr) {
    std::int64_t offset = 0;
    if (instr.op == Op::Peek) {
        const auto& known = constants[instr.operands[0]];
        offset = known ? known->toInt() : -1;
    }
    const Type* type = arriving(instr, offset);
    checkComputable(instr, type);
    const Type* item = in.channels.input ? in.channels.input : storageOf(type, types);
    const VarRef var{Space::Local, w.local("", item)};
    const Reg to = w.address(var, item);
    if (instr.op == Op::Pop)
        w.emit(Op::PopInto, item, {to});
    else
        w.emit(Op::PeekInto, item, {to, regs[instr.operands[0]]});
    w.body.blocks[w.block].instrs.back().checked = instr.checked;
    if (instr.op == Op::Pop) ++popped;
    const Dims steps = in.channels.layouts.isInputLast ? channelsLast(type->dims) : Dims{};
    if (item->is(TypeKind::Array)) return define(instr, memory(type, var, item, steps));
    const Type* array = storageOf(type, types);
    const VarRef own{Space::Local, w.local("", array)};
    copyElements(w.address(own, array), fieldFor(var, item, type), array->extent);
    define(instr, memory(type, own, array, steps));
}

void BodyExpander::discard(const Instr& instr) {
    Instr made = instr;
    const Type* type = arriving(instr, 0);
    made.type = in.channels.input ? in.channels.input : storageOf(type, types);
    w.body.blocks[w.block].instrs.push_back(std::move(made));
    ++popped;
}

void BodyExpander::push(const Instr& instr) {
    NodePtr value = nodeOf(instr, 0);
    checkComputable(instr, value->type);
    if (types::countElements(value->type) == 0)
        stop(instr, types::toString(value->type) + " has no elements");
    state.output.push_back(value->type);
    if (depth > 0) state.isOutputRegular = false;
    const Type* item = in.channels.output ? in.channels.output : storageOf(value->type, types);
    VarRef var = value->var;
    const Dims steps = in.channels.layouts.isOutputLast ? channelsLast(value->type->dims) : Dims{};
    const bool liesAsWanted = value->kind == NodeKind::Memory && value->steps == steps;
    if (item->is(TypeKind::Struct)) {
        const Type* array = storageOf(value->type, types);
        if (!liesAsWanted) {
            const VarRef own{Space::Local, w.local("", array)};
            elements.computeInto(value, own, array, steps);
            value = memory(value->type, own, array, steps);
        }
        var = {Space::Local, w.local("", item)};
        copyElements(fieldFor(var, item, value->type), w.address(value->var, value->array),
                     array->extent);
    } else if (!liesAsWanted || value->array != item) {
        var = {Space::Local, w.local("", item)};
        elements.computeInto(value, var, item, steps);
    }
    const Reg ref = w.address(var, item);
    w.emit(Op::PushFrom, item, {ref}).checked = instr.checked;
}

Reg BodyExpander::fieldFor(VarRef item, const Type* structure, const Type* tensor) {
    const std::uint32_t field = fieldOf(structure, tensor, types);
    const Type* array = structure->structure->fields[field].type;
    const Reg whole = w.address(item, structure);
    w.emit(Op::Member, array, {whole}).index = field;
    return w.result(array, true);
}

void BodyExpander::copyElements(Reg to, Reg from, std::int64_t count) {
    const Type* array = w.body.regs[to].type;
    if (array == w.body.regs[from].type) {
        w.emit(Op::Copy, array, {to, from});
        return;
    }
    w.loop(count, [&](Reg i) { w.setElement(to, i, w.element(from, i)); });
}

NodePtr BodyExpander::inMemory(const Instr& instr, std::size_t k) {
    NodePtr value = nodeOf(instr, k);
    checkComputable(instr, value->type);
    materialiseRowByRow(value);
    return value->kind == NodeKind::Number ? elements.compute(value, "") : value;
}

void BodyExpander::handOut(const Instr& instr) {
    const NodePtr value = inMemory(instr, 0);
    w.emit(instr.op, value->type, {w.address(value->var, value->array)});
}

}  // namespace strc::tensor
