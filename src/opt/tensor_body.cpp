#include "opt/detail/tensor_body.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "ir/specialize.h"
#include "tensor/expand.h"
#include "tensor/shape.h"

namespace strc::opt {
namespace {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::Op;
using ir::Reg;
using ir::Space;
using types::TensorFn;
using types::Type;
using types::TypeKind;

bool isLocalTensor(const Body& body, const Instr& instr) {
    return instr.var.space == Space::Local && instr.var.index != ir::kNone &&
           isTensor(body.locals[instr.var.index].type);
}

void storedIn(const Body& body, BlockId id, std::set<std::uint32_t>& found) {
    if (id == ir::kNone) return;
    for (const Instr& instr : body.blocks[id].instrs) {
        const bool changes = instr.op == Op::Store || instr.op == Op::Declare;
        if (changes && isLocalTensor(body, instr)) found.insert(instr.var.index);
        for (BlockId inner : instr.blocks) storedIn(body, inner, found);
    }
}

/// Declarations stay, since they say what a variable can be.
void removeUnread(Body& body) {
    std::vector<bool> isKept(body.locals.size());
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs)
            if ((instr.op == Op::Load || instr.op == Op::Declare) && isLocalTensor(body, instr))
                isKept[instr.var.index] = true;
    for (ir::Block& block : body.blocks)
        std::erase_if(block.instrs, [&](const Instr& instr) {
            return instr.op == Op::Store && isLocalTensor(body, instr) && !isKept[instr.var.index];
        });
}

std::vector<Reg> same(const Body& body) {
    std::vector<Reg> regs(body.regs.size());
    std::iota(regs.begin(), regs.end(), Reg{0});
    return regs;
}

}  // namespace

void forwardTensors(Body& body) {
    std::vector<Reg> instead = same(body);
    std::map<std::uint32_t, Reg> held;  // by variable; absent: who knows
    for (const Instr& instr : body.blocks[body.entry].instrs) {
        std::set<std::uint32_t> changed;
        for (BlockId block : instr.blocks) storedIn(body, block, changed);
        for (std::uint32_t local : changed) held.erase(local);
        if (instr.op == Op::Convert && isTensor(instr.type))
            instead[instr.result] = instead[instr.operands[0]];
        if (!isLocalTensor(body, instr)) continue;
        if (instr.op == Op::Store) held[instr.var.index] = instead[instr.operands[0]];
        if (instr.op == Op::Declare) held.erase(instr.var.index);
        auto found = held.find(instr.var.index);
        if (instr.op == Op::Load && found != held.end()) instead[instr.result] = found->second;
    }
    substitute(body, instead);
}

bool forwardTensors(const pass::Context& /*context*/, elab::Kernel& kernel) {
    forwardTensors(*kernel.code.work);
    return true;
}

void substitute(Body& body, const std::vector<Reg>& instead) {
    for (ir::Block& block : body.blocks) {
        for (Instr& instr : block.instrs)
            for (Reg& operand : instr.operands) operand = instead[operand];
        std::erase_if(block.instrs, [&](const Instr& instr) {
            return instr.result != ir::kNone && instead[instr.result] != instr.result;
        });
    }
    removeUnread(body);
    ir::fold(body);
    removeUnread(body);
}

TensorFacts factsOf(const elab::Kernel& kernel, types::TypeTable& types) {
    const Body& body = *kernel.code.work;
    TensorFacts facts;
    facts.types.resize(body.regs.size());
    facts.constants.resize(body.regs.size());
    facts.makers.resize(body.regs.size());
    for (const Instr& instr : body.blocks[body.entry].instrs) {
        if (instr.result == ir::kNone) continue;
        facts.makers[instr.result] = &instr;
        const Type*& type = facts.types[instr.result];
        if (instr.op == Op::Const && !instr.type->isAggregate())
            facts.constants[instr.result] = instr.value;
        if (instr.op == Op::Load && instr.var.space == Space::Field)
            type = kernel.tensors[instr.var.index];
        else if (instr.op == Op::Load || instr.op == Op::Pop)
            type = isTensor(instr.type) && isConcrete(instr.type) ? instr.type : nullptr;
        if (instr.op != Op::Tensor) continue;
        std::vector<tensor::Operand> operands;
        for (Reg reg : instr.operands)
            operands.push_back(
                {isTensor(body.regs[reg].type) ? facts.types[reg] : body.regs[reg].type,
                 facts.constants[reg]});
        const bool areKnown =
            std::all_of(operands.begin(), operands.end(), [](const tensor::Operand& operand) {
                return operand.type && (isTensor(operand.type) || operand.constant);
            });
        if (areKnown) type = tensor::resultOf(instr, operands, types).type;
        if (!isTensor(type)) type = nullptr;
    }
    return facts;
}

}  // namespace strc::opt
