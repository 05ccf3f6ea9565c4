#include "tensor/detail/items.h"

namespace strc::tensor {

using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using ir::VarRef;
using types::TypeKind;

void ItemExpander::take(const Instr& instr) {
    const Type* type = c.typeOf(instr.result);
    const Type* item = c.in.channels.input ? c.in.channels.input : storageOf(type, c.types);
    const VarRef var{Space::Local, w.local("", item)};
    const Reg to = w.address(var, item);
    if (instr.op == Op::Pop)
        w.emit(Op::PopInto, item, {to});
    else
        w.emit(Op::PeekInto, item, {to, c.regs[instr.operands[0]]});
    w.body.blocks[w.block].instrs.back().checked = instr.checked;
    const Dims steps = c.in.channels.layouts.isInputLast ? channelsLast(type->dims) : Dims{};
    if (item->is(TypeKind::Array)) return c.define(instr, memory(type, var, item, steps));
    const Type* array = storageOf(type, c.types);
    const VarRef own{Space::Local, w.local("", array)};
    copyElements(w.address(own, array), fieldFor(var, item, type), array->extent);
    c.define(instr, memory(type, own, array, steps));
}

void ItemExpander::discard(const Instr& instr) {
    Instr made = c.copyOf(instr);
    made.type = c.in.channels.input ? c.in.channels.input : storageOf(instr.type, c.types);
    c.put(std::move(made));
}

void ItemExpander::push(const Instr& instr) {
    NodePtr value = c.operand(instr, 0);
    const Type* array = storageOf(value->type, c.types);
    const Type* item = c.in.channels.output ? c.in.channels.output : array;
    VarRef var = value->var;
    const Dims steps =
        c.in.channels.layouts.isOutputLast ? channelsLast(value->type->dims) : Dims{};
    const bool liesAsWanted = value->kind == NodeKind::Memory && value->steps == steps;
    if (item->is(TypeKind::Struct)) {
        if (!liesAsWanted) {
            const VarRef own{Space::Local, w.local("", array)};
            c.elements.computeInto(value, own, array, steps);
            value = memory(value->type, own, array, steps);
        }
        var = {Space::Local, w.local("", item)};
        copyElements(fieldFor(var, item, value->type), w.address(value->var, value->array),
                     array->extent);
    } else if (!liesAsWanted || value->array != item) {
        var = {Space::Local, w.local("", item)};
        c.elements.computeInto(value, var, item, steps);
    }
    const Reg ref = w.address(var, item);
    w.emit(Op::PushFrom, item, {ref}).checked = instr.checked;
}

Reg ItemExpander::fieldFor(VarRef item, const Type* structure, const Type* tensor) {
    const std::uint32_t field = fieldOf(structure, tensor, c.types);
    const Type* array = structure->structure->fields[field].type;
    const Reg whole = w.address(item, structure);
    w.emit(Op::Member, array, {whole}).index = field;
    return w.result(array, true);
}

void ItemExpander::copyElements(Reg to, Reg from, std::int64_t count) {
    const Type* array = w.body.regs[to].type;
    if (array == w.body.regs[from].type) {
        w.emit(Op::Copy, array, {to, from});
        return;
    }
    w.loop(count, [&](Reg i) { w.setElement(to, i, w.element(from, i)); });
}

NodePtr ItemExpander::inMemory(const Instr& instr, std::size_t k) {
    NodePtr value = c.operand(instr, k);
    c.materialiseRowByRow(value);
    return value->kind == NodeKind::Number ? c.elements.compute(value, "") : value;
}

void ItemExpander::handOut(const Instr& instr) {
    const NodePtr value = inMemory(instr, 0);
    w.emit(instr.op, value->type, {w.address(value->var, value->array)});
}

void ItemExpander::callNative(const Instr& instr) {
    const ir::Native& native = c.in.natives[instr.callee.index];
    Instr made = c.copyOf(instr);
    for (std::size_t k = 0; k < instr.operands.size(); ++k) {
        if (!isTensor(native.params[k])) continue;
        const NodePtr value = inMemory(instr, k);
        made.operands[k] = w.address(value->var, value->type);
    }
    const bool givesTensor = isTensor(native.result);
    if (givesTensor) {
        made.operands.push_back(placeResult(instr, native.result));
        made.result = ir::kNone;
        made.type = nullptr;
    }
    c.put(std::move(made));
    if (instr.result != ir::kNone && !givesTensor)
        c.regs[instr.result] = w.result(c.typeOf(instr.result), false);
}

Reg ItemExpander::placeResult(const Instr& instr, const Type* type) {
    const Type* array = storageOf(type, c.types);
    const VarRef place{Space::Local, w.local("", array)};
    c.define(instr, memory(type, place, array));
    return w.address(place, type);
}

}  // namespace strc::tensor
