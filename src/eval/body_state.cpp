#include "eval/detail/body_state.h"

namespace strc::eval {

void emitHost(BodyState& state, const Instr& instr, HostOp op) {
    Registers& registers = state.registers;
    op.instr = &instr;
    op.body = &state.body;
    for (Reg operand : instr.operands) {
        HostOperand given;
        given.isRef = state.body.regs[operand].ref;
        given.slot = given.isRef ? registers.addressOf(operand) : registers.slotOf(operand);
        given.type = registers.typeOf(operand);
        op.operands.push_back(given);
    }
    op.result = instr.result == kNone ? registers.temporary(2) : registers.destination(instr);
    appendHost(state, std::move(op));
}

void appendHost(BodyState& state, HostOp op) {
    auto number = static_cast<std::uint32_t>(state.code.hostOps.size());
    state.code.hostOps.push_back(std::move(op));
    state.out.op(Code32::Host, {number});
}

}  // namespace strc::eval
