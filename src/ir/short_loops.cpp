#include "ir/short_loops.h"

#include <algorithm>
#include <optional>
#include <span>

#include "ir/detail/increments.h"

namespace strc::ir {
namespace {

class LoopCounter {
public:
    LoopCounter(const Body& body, std::int64_t most) : body(body), most(most) {}

    /// Instructions of a block at most; none: more than `most`, or unknown.
    std::optional<std::int64_t> count(BlockId id) {
        if (id == kNone) return 0;
        const std::span<const Instr> instrs = body.blocks[id].instrs;
        std::int64_t sum = 0;
        bool isKnown = true;
        for (std::size_t k = 0; k < instrs.size(); ++k) {
            // All of them: what is short inside of what is long is found, too.
            const auto more = count(instrs.first(k), instrs[k]);
            isKnown = isKnown && more && sum + *more <= most;
            if (isKnown) sum += *more;
        }
        return isKnown ? std::optional(sum) : std::nullopt;
    }

    std::set<BlockId> found;

private:
    std::optional<std::int64_t> count(std::span<const Instr> before, const Instr& instr) {
        if (instr.op == Op::Call || instr.op == Op::Contract) return std::nullopt;
        std::int64_t sum = 1 + movedBytes(instr) / 8;
        bool isKnown = true;
        for (BlockId block : instr.blocks) {
            const auto inner = count(block);
            isKnown = isKnown && inner;
            if (isKnown) sum += *inner;
        }
        if (instr.op != Op::Loop) return isKnown ? std::optional(sum) : std::nullopt;
        const auto trips = tripsOf(before, instr);
        if (!isKnown || !trips || sum > most / std::max<std::int64_t>(*trips, 1))
            return std::nullopt;
        found.insert(instr.blocks[1]);
        return sum * *trips;
    }

    /// An address moves nothing, whatever lies there.
    static std::int64_t movedBytes(const Instr& instr) {
        const bool moves =
            instr.type && instr.type->isAggregate() && info(instr.op).result != ResultKind::Ref;
        return moves ? types::sizeOf(instr.type) : 0;
    }

    std::optional<std::int64_t> tripsOf(std::span<const Instr> before, const Instr& loop) const {
        const auto counted = countedLoop(body, loop);
        if (!counted || counted->limit != kNone) return std::nullopt;
        const auto start = startOf(before, counted->counter);
        if (!start) return std::nullopt;
        const std::int64_t way = counted->bound - *start;
        return way <= 0 ? 0 : (way + counted->step - 1) / counted->step;
    }

    /// The constant that a local got last.
    static std::optional<std::int64_t> startOf(std::span<const Instr> before, std::uint32_t local) {
        for (std::size_t k = before.size(); k-- > 0;) {
            const Instr& instr = before[k];
            if (instr.blocks[0] != kNone) return std::nullopt;
            if (instr.op != Op::Store || instr.var != VarRef{Space::Local, local}) continue;
            for (const Instr& made : before.first(k))
                if (made.result == instr.operands[0] && made.op == Op::Const)
                    return made.value.as<std::int32_t>();
            return std::nullopt;
        }
        return std::nullopt;
    }

    const Body& body;
    const std::int64_t most;
};

}  // namespace

std::set<BlockId> shortLoops(const Body& body, std::int64_t most) {
    LoopCounter counter(body, most);
    counter.count(body.entry);
    return std::move(counter.found);
}

}  // namespace strc::ir
