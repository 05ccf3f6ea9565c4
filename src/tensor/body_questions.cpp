#include "tensor/detail/body_questions.h"

#include <algorithm>

namespace strc::tensor {
namespace {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::Op;

bool leavesBlock(const Body& body, BlockId id, bool isInLoop) {
    if (id == ir::kNone) return false;
    auto leavesHere = [&](const Instr& instr) {
        if (instr.op == Op::Return) return true;
        if (!isInLoop && (instr.op == Op::Break || instr.op == Op::Continue)) return true;
        const bool isLoop = isInLoop || instr.op == Op::Loop;
        return std::any_of(instr.blocks.begin(), instr.blocks.end(),
                           [&](BlockId block) { return leavesBlock(body, block, isLoop); });
    };
    const std::vector<Instr>& instrs = body.blocks[id].instrs;
    return std::any_of(instrs.begin(), instrs.end(), leavesHere);
}

}  // namespace

bool anyIn(const Body& body, BlockId id, const std::function<bool(const Instr&)>& holds) {
    if (id == ir::kNone) return false;
    auto holdsInside = [&](const Instr& instr) {
        return holds(instr) ||
               std::any_of(instr.blocks.begin(), instr.blocks.end(),
                           [&](BlockId block) { return anyIn(body, block, holds); });
    };
    const std::vector<Instr>& instrs = body.blocks[id].instrs;
    return std::any_of(instrs.begin(), instrs.end(), holdsInside);
}

bool leaves(const Body& body, BlockId id) { return leavesBlock(body, id, false); }

std::vector<ir::VarRef> tensorsStoredIn(const Body& body, const Instr& control) {
    std::vector<ir::VarRef> found;
    auto note = [&](const Instr& instr) {
        const bool isLocal = instr.var.space == ir::Space::Local;
        const bool changes = instr.op == Op::Store || instr.op == Op::Declare;
        if (changes && isLocal && isTensor(body.locals[instr.var.index].type))
            found.push_back(instr.var);
        return false;
    };
    for (BlockId block : control.blocks) anyIn(body, block, note);
    return found;
}

bool isCallWithTensors(const Body& body, const Instr& call) {
    if (call.callee.kind != ir::CalleeKind::Native) return false;
    if (call.result != ir::kNone && isTensor(body.regs[call.result].type)) return true;
    return std::any_of(call.operands.begin(), call.operands.end(), [&](ir::Reg operand) {
        return isTensor(body.regs[operand].type) && !body.regs[operand].ref;
    });
}

}  // namespace strc::tensor
