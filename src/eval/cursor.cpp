#include "eval/detail/cursor.h"

namespace strc::eval {

bool Cursor::branchesNext(Reg reg, std::size_t ahead) const {
    auto isLiteral = [](const Instr& instr) {
        return instr.op == Op::Const && !instr.value.type->isAggregate();
    };
    const Instr* user = next(ahead);
    while (user && isLiteral(*user)) user = next(++ahead);
    if (analysis[reg].uses != 1 || !user) return false;
    if (isTruthOf(*user, reg)) return branchesNext(user->result, ahead + 1);
    if (user->operands.empty() || user->operands[0] != reg) return false;
    if (user->op == Op::If) return true;
    if (user->op == Op::Yield) return context->ifTrue != nullptr;
    return user->op == Op::Not && branchesNext(user->result, ahead + 1);
}

bool Cursor::isTruthOf(const Instr& instr, Reg reg) const {
    if ((instr.op != Op::Eq && instr.op != Op::Ne) || !body.regs[reg].type->is(TypeKind::Boolean))
        return false;
    return (instr.operands[0] == reg && analysis.literal(instr.operands[1])) ||
           (instr.operands[1] == reg && analysis.literal(instr.operands[0]));
}

}  // namespace strc::eval
