// Blocks, branches, loops, calls.

#include "eval/detail/compiler.h"

namespace strc::eval {

void Compiler::block(ir::BlockId id, const Context& blockContext) {
    if (id == kNone) return;
    state.cursor.walk(id, blockContext, [this](const Instr& instr) { instruction(instr); });
}

void Compiler::instruction(const Instr& instr) {
    std::uint32_t at = cursor.position++;
    out.markRange(instr.range);
    switch (instr.op) {
        case Op::Const: registers.constant(instr); break;
        case Op::Load: variables.load(instr); break;
        case Op::Store: variables.store(instr); break;
        case Op::Addr: variables.address(instr); break;
        case Op::Extent: variables.extent(instr); break;
        case Op::Declare: variables.declare(instr); break;
        case Op::Elem: accesses.element(instr); break;
        case Op::Member: accesses.member(instr); break;
        case Op::LoadAt:
        case Op::StoreAt: accesses.access(instr); break;
        case Op::Contract: accesses.contract(instr); break;
        case Op::Copy:
        case Op::Zero: accesses.copyOrZero(instr); break;
        case Op::CheckExtent:
            out.op(Code32::CheckExtent, {registers.slotOf(instr.operands[0]),
                                         registers.slotOf(instr.operands[1]), instr.index});
            break;
        case Op::Not: scalars.negate(instr); break;
        case Op::Eq:
        case Op::Ne:
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge: scalars.compare(instr); break;
        case Op::If: emitIf(instr); break;
        case Op::Loop: emitLoop(instr); break;
        case Op::Yield: emitYield(instr); break;
        case Op::Break: out.jump(Code32::Jump, {0, 0}, *loops.back().exit); break;
        case Op::Continue: out.jump(Code32::Jump, {0, 0}, *loops.back().next); break;
        case Op::Return: emitReturn(&instr); break;
        case Op::Push:
        case Op::Pop:
        case Op::Peek:
        case Op::PushFrom:
        case Op::PopInto:
        case Op::PeekInto:
        case Op::Discard:
        case Op::DiscardMany:
        case Op::PushMany:
        case Op::Iter: accesses.tape(instr); break;
        case Op::Call: emitCall(instr); break;
        case Op::Print:
            if (body.regs[instr.operands[0]].ref || instr.type->is(TypeKind::Tensor))
                emitHost(state, instr);
            else
                out.op(Code32::Print,
                       {registers.slotOf(instr.operands[0]),
                        static_cast<std::uint32_t>(registers.typeOf(instr.operands[0])->kind)});
            break;
        case Op::NewLine: out.op(Code32::NewLine); break;
        case Op::Tensor:
        case Op::Require:
        case Op::Check:
        case Op::Send:
        case Op::ReadArray:
        case Op::FileNumber:
        case Op::ReadItems:
        case Op::NewPortal:
        case Op::Create:
        case Op::Split:
        case Op::Join:
        case Op::Enqueue:
        case Op::Rate:
        case Op::ItemType: emitHost(state, instr); break;
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div:
        case Op::Rem:
        case Op::Neg:
        case Op::And:
        case Op::Or:
        case Op::Xor:
        case Op::Shl:
        case Op::Shr:
        case Op::Convert:
        case Op::Math:
        case Op::Make:
        case Op::Part:
        case Op::WithPart:
        case Op::Concat:
        case Op::Random: scalars.arithmetic(instr); break;
        default: STRC_UNREACHABLE("no operation, or one on vectors behind ir::scalarise");
    }
    if (instr.op == Op::If || instr.op == Op::Loop) {
        registers.release(at);
        at = cursor.position++;
    }
    registers.release(at);
}

// ---- branches

void Compiler::branch(Reg condition, const Context& to) {
    const Location& location = registers[condition];
    if (location.kind == Location::Kind::Branched) return;
    if (location.kind == Location::Kind::Literal) {
        Label* target = location.literal->bytes[0] ? to.ifTrue : to.ifFalse;
        if (target != to.next) out.jump(Code32::Jump, {0, 0}, *target);
        return;
    }
    bool falls = to.next == to.ifTrue;
    Label& target = falls ? *to.ifFalse : *to.ifTrue;
    if (location.kind == Location::Kind::Compare) {
        bool swap = falls && location.swapFalse;
        std::uint32_t left = swap ? location.right : location.slot;
        std::uint32_t right = swap ? location.slot : location.right;
        out.jump(falls ? location.ifFalse : location.ifTrue, {left, right}, target);
    } else {
        out.jump(falls ? Code32::JumpF : Code32::JumpT, {registers.slotOf(condition)}, target);
    }
    if (!falls && to.next != to.ifFalse) out.jump(Code32::Jump, {0, 0}, *to.ifFalse);
}

void Compiler::emitIf(const Instr& instr) {
    if (instr.result != kNone && cursor.branchesNext(instr.result)) {
        Op next = cursor.next()->op;
        if (next == Op::If || next == Op::Yield) return decideBy(instr);
    }
    Context inner;
    if (instr.result != kNone) inner.slot = registers.destination(instr);
    Branches labels;
    bindCondition(instr, labels);
    Label end;
    bool hasElse = instr.blocks[1] != kNone && !body.blocks[instr.blocks[1]].instrs.empty();
    out.bind(labels.then);
    block(instr.blocks[0], inner);
    if (hasElse) out.jump(Code32::Jump, {0, 0}, end);
    out.bind(labels.otherwise);
    if (hasElse) block(instr.blocks[1], inner);
    out.bind(end);
}

/// Jumps to one of two labels, the first of which follows.
void Compiler::bindCondition(const Instr& instr, Branches& labels) {
    if (registers[instr.operands[0]].kind == Location::Kind::Branched) {
        labels = std::move(branched);
        return;
    }
    branch(instr.operands[0], {std::nullopt, &labels.then, &labels.otherwise, &labels.then});
}

// `a && b` and the like: the boolean that an If yields decides over the If that follows, or over the
// jump that the block around it ends with. Jumps go there at once.
void Compiler::decideBy(const Instr& instr) {
    Branches inner;
    bool isBranched = registers[instr.operands[0]].kind == Location::Kind::Branched;
    if (isBranched) inner = std::move(branched);
    branched = {};
    Context to = cursor.yields();
    Branches outer;
    if (cursor.next()->op == Op::If)
        to = {std::nullopt, &outer.then, &outer.otherwise, &outer.then};
    Label* ifThen = constantTarget(instr.blocks[0], to);
    Label* ifElse = constantTarget(instr.blocks[1], to);
    if (!isBranched) {
        Label* next = !ifThen ? &inner.then : !ifElse ? &inner.otherwise : to.next;
        branch(instr.operands[0], {std::nullopt, ifThen ? ifThen : &inner.then,
                                   ifElse ? ifElse : &inner.otherwise, next});
    }
    Context first{std::nullopt, to.ifTrue, to.ifFalse, ifElse ? to.next : nullptr};
    decideIn(instr.blocks[0], ifThen, inner.then, isBranched, first);
    decideIn(instr.blocks[1], ifElse, inner.otherwise, false, to);
    registers[instr.result].kind = Location::Kind::Branched;
    branched = std::move(outer);
}

/// One of the two blocks; `constant`: where it goes if it yields a literal and nothing else.
void Compiler::decideIn(ir::BlockId id, Label* constant, Label& begin, bool fallsIn,
                        const Context& to) {
    if (!constant) {
        out.bind(begin);
        block(id, to);
        return;
    }
    cursor.position += static_cast<std::uint32_t>(body.blocks[id].instrs.size());
    out.forward(begin, *constant);
    if (fallsIn && constant != to.next) out.jump(Code32::Jump, {0, 0}, *constant);
}

Label* Compiler::constantTarget(ir::BlockId id, const Context& to) const {
    const std::vector<Instr>& list = body.blocks[id].instrs;
    if (list.size() != 2 || list[0].op != Op::Const || list[1].op != Op::Yield) return nullptr;
    return list[0].value.bytes[0] ? to.ifTrue : to.ifFalse;
}

void Compiler::emitYield(const Instr& instr) {
    const Context& to = cursor.yields();
    if (to.ifTrue)
        branch(instr.operands[0], to);
    else if (to.slot)
        registers.moveTo(*to.slot, instr.operands[0]);
}

// ---- loops

void Compiler::emitLoop(const Instr& instr) {
    std::uint32_t begin = cursor.position - 1;
    bool outermost = !out.hasPreheader();
    if (outermost) out.beginPreheader();
    std::uint32_t marked = 0;
    bool strings = analysis.hasStrings(begin);
    if (strings) out.op(Code32::StringMark, {marked = out.take(1)});
    Label top, next, condition, exit;
    std::uint32_t entry = out.here();
    if (!instr.flag) out.jump(Code32::Jump, {0, 0}, condition);
    out.bind(top);
    loops.push_back({&exit, instr.flag ? &condition : &next});
    block(instr.blocks[1], {});
    out.bind(next);
    block(instr.blocks[2], {});
    loops.pop_back();
    if (strings) out.op(Code32::StringRelease, {marked});
    std::uint32_t weight = analysis.end(begin) - begin;
    std::uint32_t counting = out.lastIs(Code32::AddIK);
    out.op(Code32::Tick, {weight});
    bool onlyEntry = condition.waiting.size() == (instr.flag ? 0 : 1);
    out.bind(condition);
    block(instr.blocks[0], {std::nullopt, &top, &exit, &exit});
    if (counting != Label::kUnbound && onlyEntry)
        fuseCounting(counting, condition.at, instr.flag ? Label::kUnbound : entry, weight);
    out.bind(exit);
    if (strings) out.give(marked, 1);
    if (outermost) out.endPreheader();
}

namespace {

struct CountingRow {
    Code32 jump;  ///< to the top of the loop
    Code32 fused;
    Code32 skips;  ///< past the loop at its entry, the operands swapped if `swapped`
    bool swapped;
    bool counterRight;  ///< the counter is the right operand
};

constexpr CountingRow kCounting[] = {
    {Code32::JumpLtIK, Code32::LoopLtIK, Code32::JumpGeIK, false, false},
    {Code32::JumpLeIK, Code32::LoopLeIK, Code32::JumpGtIK, false, false},
    {Code32::JumpGtIK, Code32::LoopGtIK, Code32::JumpLeIK, false, false},
    {Code32::JumpGeIK, Code32::LoopGeIK, Code32::JumpLtIK, false, false},
    {Code32::JumpNeIK, Code32::LoopNeIK, Code32::JumpEqIK, false, false},
    {Code32::JumpLtI, Code32::LoopLtI, Code32::JumpLeI, true, false},
    {Code32::JumpLeI, Code32::LoopLeI, Code32::JumpLtI, true, false},
    {Code32::JumpNeI, Code32::LoopNeI, Code32::JumpEqI, false, false},
    {Code32::JumpLtI, Code32::LoopGtI, Code32::JumpLeI, true, true},
    {Code32::JumpLeI, Code32::LoopGeI, Code32::JumpLtI, true, true},
};

}  // namespace

/// `i = i + k`, Tick and a jump on a comparison of i, which end a loop, become one operation. The jump to
/// the condition at the loop's entry (if any) becomes the opposite comparison.
void Compiler::fuseCounting(std::uint32_t add, std::uint32_t jump, std::uint32_t entry,
                            std::uint32_t weight) {
    if (out.here() != jump + 4 || out.word(add + 1) != out.word(add + 2)) return;
    std::uint32_t counter = out.word(add + 1), step = out.word(add + 3);
    std::uint32_t left = out.word(jump + 1), right = out.word(jump + 2);
    for (const CountingRow& row : kCounting) {
        bool isLiteral = operands(row.jump)[1] == 'i';
        std::uint32_t limit = row.counterRight ? left : right;
        if (out.word(jump) != static_cast<std::uint32_t>(row.jump)) continue;
        if ((row.counterRight ? right : left) != counter || (!isLiteral && limit == counter))
            continue;
        std::uint32_t top = jump + out.word(jump + 3);
        bool discards = add == top + 2 &&
                        out.word(top) == static_cast<std::uint32_t>(Code32::Discard) &&
                        row.fused == Code32::LoopLtIK && step == 1;
        std::uint32_t itemBytes = out.word(top + 1);
        out.truncate(discards ? top : add);
        if (discards)
            out.op(Code32::DiscardLoop, {counter, limit, itemBytes, weight});
        else
            out.op(row.fused, {counter, step, limit, top - add, weight});
        if (entry == Label::kUnbound) return;
        out.setWord(entry, static_cast<std::uint32_t>(row.skips));
        out.setWord(entry + 1, row.swapped ? right : left);
        out.setWord(entry + 2, row.swapped ? left : right);
        out.setWord(entry + 3, out.here() - entry);
        return;
    }
}

// ---- calls

void Compiler::emitReturn(const Instr* instr) {
    if (!instr || instr->operands.empty()) {
        epilogue();
        out.op(Code32::Return);
        return;
    }
    Reg value = instr->operands[0];
    std::uint32_t slot = registers.slotOf(value);
    if (registers.typeOf(value)->is(TypeKind::String)) slot = registers.keptText(slot);
    epilogue();
    out.op(slotsOf(registers.typeOf(value)) == 2 ? Code32::Return2 : Code32::Return1, {slot});
}

void Compiler::emitCall(const Instr& instr) {
    if (instr.callee.kind == ir::CalleeKind::Native) return emitHost(state, instr);
    std::uint32_t number = linker.function(instr.callee);
    std::uint32_t to = kHeader;
    for (Reg operand : instr.operands) {
        registers.moveTo(kOutgoing | to, operand);
        to += registers.slotsFor(operand);
    }
    out.needOutgoing(to);
    std::uint32_t result =
        instr.result == kNone ? registers.temporary(2) : registers.destination(instr);
    if (instr.callee.kind == ir::CalleeKind::Stream && instr.index != ir::kNone)
        out.markFiring(instr.index);
    out.op(Code32::Call, {number, result});
}

}  // namespace strc::eval
