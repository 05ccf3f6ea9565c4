#include "tensor/expander.h"

#include <algorithm>

#include "base/assert.h"

namespace strc::tensor {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using ir::VarRef;
using types::TypeKind;

Body BodyExpander::expand() {
    Body& to = w.body;
    to.name = from.name;
    to.kind = from.kind;
    to.params = from.params;
    to.result = from.result;
    to.creates = from.creates;
    to.sends = from.sends;
    to.rates = from.rates;
    to.range = from.range;
    to.header = from.header;
    to.locals = from.locals;
    for (ir::Variable& local : to.locals)
        if (isTensor(local.type)) local.type = types.intType();  // nobody uses it
    regs.assign(from.regs.size(), ir::kNone);
    nodes.resize(from.regs.size());
    constants.resize(from.regs.size());
    known = state.known;
    uses.resize(from.regs.size());
    addUses(from.entry, 1);
    expandBlock(from.entry);
    return std::move(w.body);
}

std::string describe(const Instr& instr) {
    switch (instr.op) {
        case Op::Tensor: {
            const bool isMath = instr.math != types::MathFn::Count;
            return "'" +
                   std::string(isMath ? types::name(instr.math) : types::info(instr.tensor).name) +
                   "'";
        }
        case Op::Push: return "'push'";
        case Op::Pop: return "'pop'";
        case Op::Peek: return "'peek'";
        case Op::Call: return "a call of a native function";
        default: return "a value";
    }
}

void BodyExpander::expandBlock(BlockId id) {
    for (const Instr& instr : from.blocks[id].instrs) {
        w.range = instr.range;
        expandInstr(instr);
        for (Reg operand : instr.operands) --uses[operand];
    }
}

void BodyExpander::expandInstr(const Instr& instr) {
    switch (instr.op) {
        case Op::Tensor: return operation(instr);
        case Op::Require: return demand(instr);
        case Op::If:
            if (takeBranch(instr)) return;
            return control(instr);
        case Op::Loop:
            if ((unrolls || makesDemands(instr)) && unroll(instr)) return;
            return control(instr);
        case Op::Load:
            if (isTensor(instr.type)) return load(instr);
            break;
        case Op::Store:
            if (isTensor(instr.type)) return store(instr);
            break;
        case Op::Declare:
            if (isTensor(variableType(instr.var))) return declare(instr);
            break;
        case Op::Pop:
        case Op::Peek:
            if (!in.input.empty()) return take(instr);
            break;
        case Op::Discard:
            if (!in.input.empty()) return discard(instr);
            break;
        case Op::Push:
            if (isTensor(instr.type)) return push(instr);
            break;
        case Op::Convert:
            if (isTensor(instr.type)) return define(instr, nodeOf(instr, 0));
            break;
        case Op::Yield:
            if (isTensor(from.regs[instr.operands[0]].type)) return yield(instr);
            break;
        case Op::Enqueue:
        case Op::Print:
            if (isTensor(instr.type)) return handOut(instr);
            break;
        case Op::Call:
            if (handsTensors(instr)) return callNative(instr);
            settle();
            break;
        default: break;
    }
    if (!keepsAsText(instr)) copyInstr(instr);
}

const Type* BodyExpander::variableType(VarRef var) const {
    if (var.space == Space::Local) return from.locals[var.index].type;
    return var.space == Space::Field ? code.fields[var.index].type : nullptr;
}

void BodyExpander::copyInstr(const Instr& instr) {
    Instr made = instr;
    for (Reg& operand : made.operands) {
        operand = scalarReg(operand);
        STRC_ASSERT(operand != ir::kNone, "a tensor where a scalar is expected");
    }
    fixExtents(instr, made);
    const bool isOwnType = instr.op == Op::Addr;
    const Type* type = instr.result == ir::kNone ? nullptr
                       : isOwnType               ? made.type
                                                 : from.regs[instr.result].type;
    w.body.blocks[w.block].instrs.push_back(std::move(made));
    note(instr);
    if (instr.result != ir::kNone) regs[instr.result] = w.result(type, from.regs[instr.result].ref);
}

void BodyExpander::storedIn(BlockId id, std::vector<VarRef>& found) const {
    if (id == ir::kNone) return;
    for (const Instr& instr : from.blocks[id].instrs) {
        const bool changes = (instr.op == Op::Store && isTensor(instr.type)) ||
                             (instr.op == Op::Declare && isTensor(variableType(instr.var)));
        if (changes) found.push_back(instr.var);
        for (BlockId block : instr.blocks) storedIn(block, found);
    }
}

void BodyExpander::control(const Instr& instr) {
    settle();
    forget(instr);
    std::vector<VarRef> stored;
    for (BlockId block : instr.blocks) storedIn(block, stored);
    std::vector<VarRef> changed;
    for (VarRef var : stored)
        if (var.space == Space::Local && !iterationLocals.isInside(var.index) &&
            fixed.try_emplace(key(var), nullptr).second) {
            changed.push_back(var);
            if (NodePtr value = bindings[key(var)].value) fix(var, value);
        }
    iterationLocals.enter(instr);
    const NodePtr outside = result;
    result = nullptr;
    std::array<BlockId, 3> blocks{ir::kNone, ir::kNone, ir::kNone};
    ++depth;
    for (std::size_t k = 0; k < 3; ++k)
        if (instr.blocks[k] != ir::kNone) blocks[k] = w.inBlock([&] { inside(instr.blocks[k]); });
    --depth;
    w.range = instr.range;
    const bool givesTensor = instr.result != ir::kNone && isTensor(from.regs[instr.result].type);
    forget(instr);
    emitControl(instr, blocks, givesTensor);
    if (givesTensor) define(instr, result);
    result = outside;
    iterationLocals.leave(instr);
    for (VarRef var : changed) {
        NodePtr place = fixed[key(var)];
        if (place) bindings[key(var)].value = place;
        fixed.erase(key(var));
    }
}

void BodyExpander::inside(BlockId id) {
    expandBlock(id);
    settle();
}

void BodyExpander::emitControl(const Instr& instr, const std::array<BlockId, 3>& blocks,
                               bool givesTensor) {
    Instr made = instr;
    made.blocks = blocks;
    for (Reg& operand : made.operands) operand = regs[operand];
    if (givesTensor) {
        made.result = ir::kNone;
        made.type = nullptr;
    }
    w.body.blocks[w.block].instrs.push_back(std::move(made));
    if (instr.result == ir::kNone || givesTensor) return;
    regs[instr.result] = w.result(from.regs[instr.result].type, false);
}

void BodyExpander::yield(const Instr& instr) {
    const NodePtr value = nodeOf(instr, 0);
    if (!result) {
        w.body.locals.push_back({"", storageOf(value->type, types), instr.range});
        const VarRef var{Space::Local, static_cast<std::uint32_t>(w.body.locals.size() - 1)};
        result = memory(value->type, var, w.body.locals.back().type);
    }
    if (result->type != value->type)
        stopOfRun(instr, describe(instr),
                  "one branch gives " + types::toString(result->type) + ", the other " +
                      types::toString(value->type));
    elements.computeInto(value, result->var, result->array);
}

}  // namespace strc::tensor
