#include "ir/item_places.h"

#include <algorithm>
#include <vector>

namespace strc::ir {
namespace {

/// How a local array is used.
struct Life {
    int writes = 0;  ///< by anything but PopInto
    int pops = 0, pushes = 0;
    int afterPush = 0;  ///< uses behind the push
    const Instr *popped = nullptr, *pushed = nullptr;  ///< in the first block
    ItemPlace from, to;
};

class ItemPlaceFinder {
public:
    explicit ItemPlaceFinder(const Body& what)
        : body(what), roots(what.regs.size(), kNone), lives(what.locals.size()) {}

    ItemPlaces find() {
        block(body.entry, true);
        ItemPlaces found;
        for (std::uint32_t local = body.params; local < lives.size(); ++local) {
            const Life& life = lives[local];
            const bool isPopped = life.popped && life.pops == 1 && life.writes == 0;
            const bool isPushed = life.pushed && life.pushes == 1 && life.afterPush == 0;
            if (!isPopped && !isPushed) continue;
            found.locals.emplace(local, isPopped ? life.from : life.to);
            found.moves.emplace(local, isPopped ? life.popped : life.pushed);
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
                if (instr.var.space != Space::Local) return;
                roots[instr.result] = instr.var.index;
                if (lives[instr.var.index].pushed) ++lives[instr.var.index].afterPush;
                return;
            case Op::Elem:
            case Op::Member: roots[instr.result] = roots[instr.operands[0]]; return;
            case Op::Declare:
                if (instr.var.space == Space::Local && !instr.flag) ++lives[instr.var.index].writes;
                return;
            case Op::Pop:
            case Op::Discard:
            case Op::PopInto: return pop(instr, isFirst);
            case Op::Push:
            case Op::PushFrom: return push(instr, isFirst);
            default: return;
        }
    }

    /// Only what is known to do nothing but read is no write.
    void use(const Instr& instr, std::size_t k) {
        const std::uint32_t local = roots[instr.operands[k]];
        if (local == kNone) return;
        Life& life = lives[local];
        if (life.pushed) ++life.afterPush;
        switch (instr.op) {
            case Op::Elem:
            case Op::Member:
            case Op::LoadAt:
            case Op::PopInto:
            case Op::PushFrom: return;
            case Op::Call:  // natives write nothing but results, which are never popped
                if (body.regs[instr.operands[k]].type->is(types::TypeKind::Tensor)) return;
                if (instr.callee.kind == CalleeKind::Symbolic && k < instr.index) return;
                break;
            case Op::Copy:
            case Op::Contract:
                if (k > 0) return;
                break;
            default: break;
        }
        ++life.writes;
    }

    bool isWhole(const Instr& instr) const {
        const std::uint32_t local = roots[instr.operands[0]];
        return local != kNone && body.locals[local].type == instr.type &&
               body.regs[instr.operands[0]].type == instr.type;
    }

    void pop(const Instr& instr, bool isFirst) {
        if (instr.op == Op::PopInto && roots[instr.operands[0]] != kNone) {
            Life& life = lives[roots[instr.operands[0]]];
            ++life.pops;
            if (isFirst && isWhole(instr) && popped >= 0) {
                life.popped = &instr;
                life.from = {false, popped};
            }
        }
        popped = isFirst && popped >= 0 ? popped + 1 : -1;
    }

    void push(const Instr& instr, bool isFirst) {
        if (instr.op == Op::PushFrom && roots[instr.operands[0]] != kNone) {
            Life& life = lives[roots[instr.operands[0]]];
            ++life.pushes;
            if (isFirst && isWhole(instr) && pushed >= 0) {
                life.pushed = &instr;
                life.to = {true, pushed};
            }
        }
        pushed = isFirst && pushed >= 0 ? pushed + 1 : -1;
    }

    const Body& body;
    std::vector<std::uint32_t> roots;  ///< by register: the local that a ref leads into
    std::vector<Life> lives;
    std::int64_t popped = 0, pushed = 0;  ///< so far; -1: who knows
};

}  // namespace

bool isMove(const ItemPlaces& places, const Instr& instr) {
    return std::any_of(places.moves.begin(), places.moves.end(),
                       [&](const auto& move) { return move.second == &instr; });
}

ItemPlaces findItemPlaces(const Body& body) { return ItemPlaceFinder(body).find(); }

}  // namespace strc::ir
