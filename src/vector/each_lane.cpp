#include "vector/each_lane.h"

#include <string>

#include "ir/writer.h"

namespace strc::vector {
namespace {

using ir::BlockId;
using ir::Body;
using ir::Instr;
using ir::kNone;
using ir::Op;
using ir::Reg;
using types::Type;

bool isPossible(const Body& body, const Instr& i) {
    switch (i.op) {
        case Op::Iter:
        case Op::Call:
        case Op::Check:
        case Op::CheckExtent:
        case Op::Extent:
        case Op::PeekColumns: return false;
        case Op::PushRows: return i.index == 1 && body.regs[i.operands[0]].type->element == i.type;
        case Op::PeekVector: return types::lanesOf(body.regs[i.operands[0]].type) == 0;
        case Op::Declare: return i.operands.empty();
        default: break;
    }
    const ir::Effects effects = ir::info(i.op).effects;
    return effects != ir::Effects::Ordered && effects != ir::Effects::Build;
}

class LaneLoop {
public:
    LaneLoop(types::TypeTable& types, const Body& one, const EachLane& what)
        : w(types), body(one), how(what), regs(one.regs.size(), kNone) {}

    Body run() {
        w.range = body.range;
        w.body.name = body.name;
        w.body.kind = body.kind;
        w.body.range = body.range;
        w.body.header = body.header;
        w.body.locals = body.locals;
        taken = w.local("taken", w.types.intType());
        given = w.local("given", w.types.intType());
        const std::int64_t pushes = how.rates.push.max * how.lanes;
        if (pushes > 0) pushed = w.local("pushed", w.types.array(how.output, pushes));
        w.loop(how.lanes, [&](Reg number) {
            lane = number;
            w.store(taken, w.integer(0));
            w.store(given, w.integer(0));
            block(body.entry);
        });
        if (pushes > 0) pushAll(pushes);
        if (const std::int64_t pops = how.rates.pop.max * how.lanes; pops > 0)
            w.emit(Op::DiscardMany, how.input, {}).index = static_cast<std::uint32_t>(pops);
        return std::move(w.body);
    }

private:
    void pushAll(std::int64_t count) {
        if (!how.output->isAggregate()) {
            w.emit(Op::PushRows, how.output, {w.address(pushed)}).index = 1;
            return;
        }
        w.loop(count, [&](Reg k) {
            w.emit(Op::PushFrom, how.output, {w.reference(w.address(pushed), k)}).checked = false;
        });
    }

    void block(BlockId id) {
        for (const Instr& i : body.blocks[id].instrs) {
            w.range = i.range;
            if (!tape(i) && !field(i) && i.op != Op::Return) clone(i);
        }
    }

    Reg made(const Instr& i, std::size_t k) const { return regs[i.operands[k]]; }

    void result(const Instr& i) {
        if (i.result == kNone) return;
        regs[i.result] = w.result(body.regs[i.result].type, body.regs[i.result].ref);
        w.body.regs.back().lanes = body.regs[i.result].lanes;
    }

    void clone(const Instr& i) {
        Instr copy = i;
        for (Reg& reg : copy.operands) reg = regs[reg];
        for (std::size_t k = 0; k < copy.blocks.size(); ++k)
            if (i.blocks[k] != kNone) copy.blocks[k] = w.inBlock([&] { block(i.blocks[k]); });
        w.body.blocks[w.block].instrs.push_back(std::move(copy));
        result(i);
    }

    // ---- items

    Reg sum(Reg x, Reg y) { return w.operation(Op::Add, w.types.intType(), {x, y}); }

    /// Of item `index` of this lane among those of all.
    Reg place(Reg index) {
        const Reg row = w.operation(Op::Mul, w.types.intType(), {index, w.integer(how.lanes)});
        return sum(row, lane);
    }

    Reg windowPlace(Reg offset) { return place(sum(w.load(taken), offset)); }

    void advance(std::uint32_t counter, std::int64_t by = 1) {
        w.store(counter, sum(w.load(counter), w.integer(by)));
    }

    void push(Reg item) {
        w.setElement(w.address(pushed), place(w.load(given)), item);
        advance(given);
    }

    Instr& unchecked(Op op, const Type* type, std::vector<Reg> operands) {
        Instr& instr = w.emit(op, type, std::move(operands));
        instr.checked = false;
        return instr;
    }

    bool tape(const Instr& i) {
        switch (i.op) {
            case Op::Pop:
                unchecked(Op::Peek, i.type, {place(w.load(taken))});
                result(i);
                advance(taken);
                return true;
            case Op::PopInto:
                unchecked(Op::PeekInto, i.type, {made(i, 0), place(w.load(taken))});
                advance(taken);
                return true;
            case Op::Discard: advance(taken); return true;
            case Op::DiscardMany: advance(taken, i.index); return true;
            case Op::Peek:
                unchecked(Op::Peek, i.type, {windowPlace(made(i, 0))});
                result(i);
                return true;
            case Op::PeekInto:
                unchecked(Op::PeekInto, i.type, {made(i, 0), windowPlace(made(i, 1))});
                return true;
            case Op::PeekVector:
                w.emit(Op::PeekVector, i.type, {windowPlace(made(i, 0))}).index =
                    i.index * static_cast<std::uint32_t>(how.lanes);
                result(i);
                return true;
            case Op::Push: push(made(i, 0)); return true;
            case Op::PushVector:
                for (std::int64_t k = 0; k < types::lanesOf(i.type); ++k) {
                    w.emit(Op::Lane, i.type->element, {made(i, 0)}).index =
                        static_cast<std::uint32_t>(k);
                    push(w.result(i.type->element, false));
                }
                return true;
            case Op::PushRows:
                w.loop(body.regs[i.operands[0]].type->extent,
                       [&](Reg k) { push(w.element(made(i, 0), k)); });
                return true;
            case Op::PushFrom: {
                const Reg to = w.reference(w.address(pushed), place(w.load(given)));
                w.emit(Op::Copy, how.output, {to, made(i, 0)});
                advance(given);
                return true;
            }
            default: return false;
        }
    }

    // ---- fields

    bool field(const Instr& i) {
        if (i.var.space != ir::Space::Field) return false;
        const Type* type = how.fieldTypes[i.var.index];
        const ir::VarRef all{ir::Space::Field, how.fields[i.var.index]};
        const Reg ref = w.reference(w.address(all, w.types.array(type, how.lanes)), lane);
        switch (i.op) {
            case Op::Load: regs[i.result] = w.operation(Op::LoadAt, type, {ref}); return true;
            case Op::Store: w.emit(Op::StoreAt, type, {ref, made(i, 0)}); return true;
            default: regs[i.result] = ref; return true;
        }
    }

    ir::Writer w;
    const Body& body;
    const EachLane& how;
    std::vector<Reg> regs;  ///< by register of the one body
    Reg lane = kNone;
    std::uint32_t taken = kNone, given = kNone;  ///< locals that count items of a lane
    std::uint32_t pushed = kNone;  ///< a local: what all lanes push
};

}  // namespace

std::string whyNotEachLane(const Body& body) {
    for (const ir::Block& block : body.blocks)
        for (const Instr& i : block.instrs) {
            const bool isLast = &block == &body.blocks[body.entry] && &i == &block.instrs.back();
            if (i.op == Op::Return ? !isLast : !isPossible(body, i))
                return std::string("it has '") + ir::info(i.op).mnemonic + "'";
        }
    return {};
}

Body fireEachLane(types::TypeTable& types, const Body& one, const EachLane& how) {
    return LaneLoop(types, one, how).run();
}

}  // namespace strc::vector
