#include "ir/live_ranges.h"

namespace strc::ir {
namespace {

class LiveRangeFinder {
public:
    explicit LiveRangeFinder(const Body& what)
        : body(what), roots(what.regs.size(), kNone), ranges(what.locals.size()) {}

    std::vector<LiveRange> find() {
        const auto end = static_cast<std::int64_t>(body.blocks[body.entry].instrs.size());
        for (; position < end; ++position)
            look(body.blocks[body.entry].instrs[static_cast<std::size_t>(position)]);
        for (std::uint32_t k = 0; k < body.params; ++k) ranges[k] = {0, end};
        return std::move(ranges);
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
        if (ranges[local].isEmpty()) ranges[local].first = position;
        ranges[local].last = position;
    }

    const Body& body;
    std::vector<std::uint32_t> roots;  ///< by register: the local that a ref leads into
    std::vector<LiveRange> ranges;
    std::int64_t position = 0;
};

}  // namespace

std::vector<LiveRange> liveRanges(const Body& body) { return LiveRangeFinder(body).find(); }

}  // namespace strc::ir
