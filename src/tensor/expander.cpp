#include "tensor/detail/expander.h"

#include "base/assert.h"
#include "tensor/detail/body_questions.h"

namespace strc::tensor {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;

BodyExpander::BodyExpander(const ir::StreamCode& code, const ShapedBody& shaped,
                           const ExpansionInput& in, ExpansionState& state, types::TypeTable& types)
    : c(code, shaped, in, state, types), variables(c), operations(c), items(c) {}

Body BodyExpander::expand() {
    Body& to = c.w.body;
    to.name = c.from.name;
    to.kind = c.from.kind;
    to.params = c.from.params;
    to.result = c.from.result;
    to.creates = c.from.creates;
    to.sends = c.from.sends;
    to.rates = c.from.rates;
    to.range = c.from.range;
    to.header = c.from.header;
    to.locals = c.from.locals;
    for (ir::Variable& local : to.locals)
        if (isTensor(local.type)) local.type = c.types.intType();  // which nothing uses
    expandBlock(c.from.entry);
    return std::move(to);
}

void BodyExpander::expandBlock(BlockId id) {
    for (const Instr& instr : c.from.blocks[id].instrs) {
        c.w.range = instr.range;
        expandInstr(instr);
        for (Reg operand : instr.operands) --c.uses[operand];
    }
}

void BodyExpander::expandInstr(const Instr& instr) {
    const bool isOfTensor = isTensor(instr.type);
    const bool takesTensors = !c.in.input.empty();
    switch (instr.op) {
        case Op::Tensor: return operations.expand(instr);
        case Op::If:
        case Op::Loop: return control(instr);
        case Op::Load:
            if (isOfTensor) return variables.load(instr);
            break;
        case Op::Store:
            if (isOfTensor) return variables.store(instr, depth == 0);
            break;
        case Op::Declare:
            if (isTensor(c.typeOf(instr.var))) return variables.declare(instr);
            break;
        case Op::Pop:
        case Op::Peek:
            if (takesTensors) return items.take(instr);
            break;
        case Op::Discard:
            if (takesTensors) return items.discard(instr);
            break;
        case Op::Push:
            if (isOfTensor) return items.push(instr);
            break;
        case Op::Yield:
            if (isTensor(c.typeOf(instr.operands[0]))) return yield(instr);
            break;
        case Op::Enqueue:
        case Op::Print:
            if (isOfTensor) return items.handOut(instr);
            break;
        case Op::Call:
            if (isCallWithTensors(c.from, instr)) return items.callNative(instr);
            variables.settle();
            break;
        default: break;
    }
    copyInstr(instr);
}

void BodyExpander::copyInstr(const Instr& instr) {
    Instr made = c.copyOf(instr);
    for (Reg operand : made.operands)
        STRC_ASSERT(operand != ir::kNone, "a tensor where a scalar is expected");
    c.put(std::move(made));
    if (instr.result != ir::kNone)
        c.regs[instr.result] = c.w.result(c.typeOf(instr.result), c.from.regs[instr.result].ref);
}

void BodyExpander::control(const Instr& instr) {
    const std::vector<std::uint32_t> changed = variables.enter(instr);
    const NodePtr outside = result;
    result = nullptr;
    Instr made = c.copyOf(instr);
    ++depth;
    for (std::size_t k = 0; k < 3; ++k) {
        if (instr.blocks[k] == ir::kNone) continue;
        made.blocks[k] = c.w.inBlock([&] {
            expandBlock(instr.blocks[k]);
            variables.settle();
        });
    }
    --depth;
    c.w.range = instr.range;
    const bool hasResult = instr.result != ir::kNone;
    const bool givesTensor = hasResult && isTensor(c.typeOf(instr.result));
    if (givesTensor) {
        made.result = ir::kNone;
        made.type = nullptr;
    }
    c.put(std::move(made));
    if (givesTensor)
        c.define(instr, result);
    else if (hasResult)
        c.regs[instr.result] = c.w.result(c.typeOf(instr.result), false);
    result = outside;
    variables.leave(instr, changed);
}

void BodyExpander::yield(const Instr& instr) {
    const NodePtr& value = c.operand(instr, 0);
    if (!result) {
        c.w.body.locals.push_back({"", storageOf(value->type, c.types), instr.range});
        const auto local = static_cast<std::uint32_t>(c.w.body.locals.size() - 1);
        result = memory(value->type, {Space::Local, local}, c.w.body.locals.back().type);
    }
    c.elements.computeInto(value, result->var, result->array);
}

}  // namespace strc::tensor
