#include "ir/local_lives.h"

namespace strc::ir {
namespace {

class LocalLifeFinder {
public:
    explicit LocalLifeFinder(const Body& what)
        : body(what), roots(what.regs.size(), kNone), lives(what.locals.size()) {}

    std::vector<LocalLife> find() {
        const auto end = static_cast<std::int64_t>(body.blocks[body.entry].instrs.size());
        for (; position < end; ++position)
            look(body.blocks[body.entry].instrs[static_cast<std::size_t>(position)]);
        for (std::uint32_t k = 0; k < body.params; ++k) lives[k] = {0, end};
        return std::move(lives);
    }

private:
    void look(const Instr& instr) {
        if (instr.var.space == Space::Local && instr.var.index != kNone) use(instr.var.index);
        for (Reg operand : instr.operands) use(roots[operand]);
        if (instr.op == Op::Addr && instr.var.space == Space::Local)
            roots[instr.result] = instr.var.index;
        if (instr.op == Op::Elem || instr.op == Op::Member)
            roots[instr.result] = roots[instr.operands[0]];
        for (BlockId id : instr.blocks)
            if (id != kNone)
                for (const Instr& inner : body.blocks[id].instrs) look(inner);
    }

    void use(std::uint32_t local) {
        if (local == kNone) return;
        if (lives[local].isEmpty()) lives[local].first = position;
        lives[local].last = position;
    }

    const Body& body;
    std::vector<std::uint32_t> roots;  ///< by register: the local that a ref leads into
    std::vector<LocalLife> lives;
    std::int64_t position = 0;
};

}  // namespace

std::vector<LocalLife> localLives(const Body& body) { return LocalLifeFinder(body).find(); }

}  // namespace strc::ir
