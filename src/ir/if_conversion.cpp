#include "ir/if_conversion.h"

#include <algorithm>

namespace strc::ir {
namespace {

/// Instructions of both sides together that take time: executing both must take less than half of the time of a mispredicted
/// branch.
constexpr std::size_t kMostInstructions = 10;

/// Which registers and locals depend on items, and where refs lead.
class Data {
public:
    explicit Data(const Body& body)
        : roots(body.regs.size(), kNone),
          body(body),
          regs(body.regs.size()),
          locals(body.locals.size()) {
        do {
            changed = false;
            block(body.entry, false);
        } while (changed);
    }

    bool has(Reg reg) const { return regs[reg]; }

    std::vector<std::uint32_t> roots;

private:
    void block(BlockId id, bool isChosen) {
        if (id == kNone) return;
        for (const Instr& instr : body.blocks[id].instrs) instruction(instr, isChosen);
    }

    void instruction(const Instr& i, bool isChosen) {
        const bool reads = std::any_of(i.operands.begin(), i.operands.end(),
                                       [this](Reg reg) { return regs[reg]; });
        switch (i.op) {
            case Op::Pop:
            case Op::Peek: mark(regs, i.result, true); break;
            case Op::Load:
                mark(regs, i.result, i.var.space == Space::Local && locals[i.var.index]);
                break;
            case Op::Addr:
                if (i.var.space == Space::Local && types::isConcrete(i.type))
                    roots[i.result] = i.var.index;
                break;
            case Op::Elem:
            case Op::Member: roots[i.result] = roots[i.operands[0]]; break;
            case Op::LoadAt: mark(regs, i.result, true); break;
            case Op::Store:
                if (i.var.space == Space::Local) mark(locals, i.var.index, reads || isChosen);
                break;
            case Op::Yield: yielded = i.operands[0]; break;
            default: mark(regs, i.result, reads); break;
        }
        const bool inside = isChosen || (i.op == Op::If && reads);
        for (BlockId inner : i.blocks) {
            block(inner, inside);
            if (i.op == Op::If) mark(regs, i.result, yielded != kNone && regs[yielded]);
        }
    }

    void mark(std::vector<bool>& known, std::uint32_t index, bool isSo) {
        if (index == kNone || !isSo || known[index]) return;
        known[index] = changed = true;
    }

    const Body& body;
    std::vector<bool> regs, locals;
    Reg yielded = kNone;  ///< by the block looked at last
    bool changed = false;
};

/// The instructions and effects of both sides of a branch.
struct Sides {
    std::size_t instructions = 0;
    int pushes[2] = {0, 0};  ///< to the output, or to arrays that are parameters
    bool pushesToOutput = false, storesElements = false;
    std::vector<std::uint32_t> locals;  ///< arrays that they lead into
    bool fit = true;  ///< may both be done?
};

class IfConversionFinder {
public:
    IfConversionFinder(const Body& body, bool mayPush) : body(body), mayPush(mayPush), data(body) {
        found.blocks.resize(body.blocks.size());
        found.locals.resize(body.locals.size());
    }

    IfConversion run() {
        for (const Block& block : body.blocks)
            for (const Instr& instr : block.instrs)
                if (instr.op == Op::If && instr.result == kNone && data.has(instr.operands[0]))
                    branch(instr);
        found.roots = std::move(data.roots);
        return std::move(found);
    }

private:
    void branch(const Instr& branch) {
        Sides sides;
        for (std::size_t k = 0; k < 2; ++k) {
            if (branch.blocks[k] == kNone) continue;
            for (const Instr& instr : body.blocks[branch.blocks[k]].instrs)
                instruction(instr, sides, k);
        }
        const bool pushesDiffer = sides.pushes[0] != sides.pushes[1];
        const bool pushes = sides.pushes[0] + sides.pushes[1] != 0;
        if (!sides.fit || sides.instructions > kMostInstructions) return;
        if (sides.pushesToOutput && !mayPush) return;
        if (pushes ? !pushesDiffer : !sides.storesElements) return;
        found.blocks[branch.blocks[0]] = found.any = true;
        for (std::uint32_t local : sides.locals) found.locals[local] = true;
    }

    void instruction(const Instr& i, Sides& sides, std::size_t side) {
        if (i.op != Op::Const && i.op != Op::Load && i.op != Op::Addr) ++sides.instructions;
        if (i.type && i.type->is(types::TypeKind::String)) sides.fit = false;
        switch (i.op) {
            case Op::Load:
            case Op::Check: return;
            case Op::Addr:
                if (data.roots[i.result] == kNone)
                    sides.fit = false;
                else
                    sides.locals.push_back(data.roots[i.result]);
                return;
            case Op::Elem:
            case Op::Member:
            case Op::LoadAt: sides.fit = sides.fit && data.roots[i.operands[0]] != kNone; return;
            case Op::Store: sides.fit = sides.fit && i.var.space == Space::Local; return;
            case Op::StoreAt:
                sides.fit = sides.fit && data.roots[i.operands[0]] != kNone;
                if (sides.fit && data.roots[i.operands[0]] < body.params)
                    ++sides.pushes[side];
                else
                    sides.storesElements = true;
                return;
            case Op::Push:
                ++sides.pushes[side];
                sides.pushesToOutput = true;
                return;
            case Op::Div:
            case Op::Rem:
            case Op::Math: sides.fit = false; return;
            default: sides.fit = sides.fit && info(i.op).effects == Effects::Pure;
        }
    }

    const Body& body;
    bool mayPush;
    Data data;
    IfConversion found;
};

}  // namespace

IfConversion findIfConversion(const Body& body, bool mayPush) {
    return IfConversionFinder(body, mayPush).run();
}

std::string print(const Body& body, const IfConversion& ifConversion) {
    std::string text;
    for (const Block& block : body.blocks)
        for (const Instr& instr : block.instrs)
            if (instr.op == Op::If && ifConversion.blocks[instr.blocks[0]])
                text += " %" + std::to_string(instr.operands[0]);
    return text.empty() ? "none" : "selected:" + text;
}

}  // namespace strc::ir
