#include "ir/item_aliases.h"

#include <algorithm>
#include <vector>

namespace strc::ir {
namespace {

/// How a local array is used.
struct LocalUse {
    int writes = 0;  ///< by anything but PopInto
    int pops = 0, pushes = 0;
    int afterPush = 0;  ///< uses behind the push
    const Instr *popped = nullptr, *pushed = nullptr;  ///< in the first block
    ItemAlias from, to;
};

class ItemAliasFinder {
public:
    explicit ItemAliasFinder(const Body& what)
        : body(what), roots(what.regs.size(), kNone), localUses(what.locals.size()) {}

    ItemAliases find() {
        block(body.entry, true);
        ItemAliases found;
        for (std::uint32_t local = body.params; local < localUses.size(); ++local) {
            const LocalUse& localUse = localUses[local];
            const bool isPopped = localUse.popped && localUse.pops == 1 && localUse.writes == 0;
            const bool isPushed =
                localUse.pushed && localUse.pushes == 1 && localUse.afterPush == 0;
            if (!isPopped && !isPushed) continue;
            found.locals.emplace(local, isPopped ? localUse.from : localUse.to);
            found.moves.emplace(local, isPopped ? localUse.popped : localUse.pushed);
        }
        return found;
    }

private:
    void block(BlockId id, bool isFirst) {
        if (id == kNone) return;
        for (const Instr& instr : body.blocks[id].instrs) {
            look(instr, isFirst);
            for (BlockId inner : instr.blocks) block(inner, false);
        }
    }

    void look(const Instr& instr, bool isFirst) {
        for (std::size_t k = 0; k < instr.operands.size(); ++k) use(instr, k);
        switch (instr.op) {
            case Op::Addr:
                if (instr.var.space == Space::Output) pushed = -1;  // others write there, too
                if (instr.var.space != Space::Local) return;
                roots[instr.result] = instr.var.index;
                if (localUses[instr.var.index].pushed) ++localUses[instr.var.index].afterPush;
                return;
            case Op::Elem:
            case Op::Member: roots[instr.result] = roots[instr.operands[0]]; return;
            case Op::Declare:
                if (instr.var.space == Space::Local && !instr.flag)
                    ++localUses[instr.var.index].writes;
                return;
            case Op::Pop:
            case Op::Discard:
            case Op::PopInto: return pop(instr, isFirst);
            case Op::DiscardMany: popped = -1; return;
            case Op::PushMany: pushed = -1; return;
            case Op::Push:
            case Op::PushFrom: return push(instr, isFirst);
            default: return;
        }
    }

    /// Only what is known to do nothing but read is no write.
    void use(const Instr& instr, std::size_t k) {
        const std::uint32_t local = roots[instr.operands[k]];
        if (local == kNone) return;
        LocalUse& localUse = localUses[local];
        if (localUse.pushed) ++localUse.afterPush;
        switch (instr.op) {
            case Op::Elem:
            case Op::Member:
            case Op::LoadAt:
            case Op::PopInto:
            case Op::PushFrom: return;
            case Op::Call:  // natives write nothing but results, which are never popped
                if (body.regs[instr.operands[k]].type->is(types::TypeKind::Tensor)) return;
                if (instr.callee.kind == CalleeKind::DynamicShape && k < instr.index) return;
                break;
            case Op::Copy:
            case Op::Contract:
                if (k > 0) return;
                break;
            default: break;
        }
        ++localUse.writes;
    }

    bool isWhole(const Instr& instr) const {
        const std::uint32_t local = roots[instr.operands[0]];
        return local != kNone && body.locals[local].type == instr.type &&
               body.regs[instr.operands[0]].type == instr.type;
    }

    void pop(const Instr& instr, bool isFirst) {
        if (instr.op == Op::PopInto && roots[instr.operands[0]] != kNone) {
            LocalUse& localUse = localUses[roots[instr.operands[0]]];
            ++localUse.pops;
            if (isFirst && isWhole(instr) && popped >= 0) {
                localUse.popped = &instr;
                localUse.from = {false, popped};
            }
        }
        popped = isFirst && popped >= 0 ? popped + 1 : -1;
    }

    void push(const Instr& instr, bool isFirst) {
        if (instr.op == Op::PushFrom && roots[instr.operands[0]] != kNone) {
            LocalUse& localUse = localUses[roots[instr.operands[0]]];
            ++localUse.pushes;
            if (isFirst && isWhole(instr) && pushed >= 0) {
                localUse.pushed = &instr;
                localUse.to = {true, pushed};
            }
        }
        pushed = isFirst && pushed >= 0 ? pushed + 1 : -1;
    }

    const Body& body;
    std::vector<std::uint32_t> roots;  ///< by register: the local that a ref leads into
    std::vector<LocalUse> localUses;
    std::int64_t popped = 0, pushed = 0;  ///< so far; -1: who knows
};

}  // namespace

bool isMove(const ItemAliases& places, const Instr& instr) {
    return std::any_of(places.moves.begin(), places.moves.end(),
                       [&](const auto& move) { return move.second == &instr; });
}

ItemAliases findItemAliases(const Body& body) { return ItemAliasFinder(body).find(); }

}  // namespace strc::ir
