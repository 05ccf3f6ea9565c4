#include "codegen/detail/shared_loops.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/detail/grain.h"
#include "ir/contraction.h"

namespace strc::codegen {
namespace {

using ir::BlockId;
using ir::Instr;
using ir::Op;

// Costs, in products of a contraction: one instruction of a loop that LLVM does in vectors, and a function of real numbers.
constexpr std::int64_t kInstr = 1;
constexpr std::int64_t kFunction = 32;
constexpr std::int64_t kCopiedBytes = 16;  ///< that are copied for one
constexpr std::int64_t kMost = std::int64_t{1} << 60;
/// Of memory that each thread has on its stack, which nobody asks about.
constexpr std::int64_t kMostOwnBytes = 4 * 1024 * 1024;
/// Rounds that write neighbours: fewer would have threads write the same lines of memory.
constexpr std::int64_t kNeighbours = 64;
constexpr std::int64_t kLongIteration = std::int64_t{1} << 22;

/// Does a processor do it in vectors, too?
bool isInstruction(types::MathFn fn) {
    using types::MathFn;
    switch (fn) {
        case MathFn::Abs:
        case MathFn::Floor:
        case MathFn::Ceil:
        case MathFn::Rint:
        case MathFn::Min:
        case MathFn::Max: return true;
        default: return false;
    }
}

class Finder {
public:
    Finder(const ir::Body& of, const std::function<bool(const Instr&)>& allowed,
           std::int64_t scratchBytes)
        : body(of), mayBe(allowed), scratch(scratchBytes), affine(of) {}

    SharedLoops run() {
        look(body.entry);
        return std::move(found);
    }

private:
    void look(BlockId id) {
        if (id == ir::kNone) return;
        const std::span<const Instr> all(body.blocks[id].instrs);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (all[k].op == Op::Loop)
                lookAt(all.first(k), all[k]);
            else
                for (BlockId block : all[k].blocks) look(block);
        }
    }

    void lookAt(std::span<const Instr> before, const Instr& loop) {
        const std::int64_t cost = costOf(before, loop);
        if (cost < kLeastShared) return;
        if (auto shared = share(before, loop, cost)) {
            found.emplace(&loop, std::move(*shared));
            return;
        }
        const auto counts = affine.induction(before, loop);
        if (counts) affine.enter(*counts);
        look(loop.blocks[1]);
        if (counts) affine.leave(counts->counter);
    }

    std::optional<SharedLoop> share(std::span<const Instr> before, const Instr& loop,
                                    std::int64_t cost) {
        bool isFine = true;
        ir::forEach(body, loop.blocks[1],
                    [&](const Instr& instr) { isFine = isFine && mayBe(instr); });
        if (!isFine) return std::nullopt;
        auto trips = ir::findParallelLoop(body, affine, before, loop);
        if (!trips || bytesOf(*trips) > kMostOwnBytes) return std::nullopt;
        const std::int64_t count = trips->counts.trips, each = std::max(cost / count, kInstr);
        const std::int64_t unit = kLeastOfPart / each >= kNeighbours ? kNeighbours : 1;
        const std::int64_t least = piecesOf(piecesOf(kLeastOfPart, each), unit);
        const std::int64_t grain = unit * grainOf(piecesOf(count, unit), least);
        if (grain >= count) return std::nullopt;
        return SharedLoop{std::move(*trips), grain, each > kLongIteration};
    }

    std::int64_t bytesOf(const ir::ParallelLoop& trips) const {
        std::int64_t bytes = scratch;
        for (std::uint32_t local : trips.own) bytes += types::sizeOf(body.locals[local].type);
        return bytes;
    }

    std::int64_t costOf(BlockId id) const {
        if (id == ir::kNone) return 0;
        const std::span<const Instr> all(body.blocks[id].instrs);
        std::int64_t cost = 0;
        for (std::size_t k = 0; k < all.size(); ++k)
            cost = std::min(kMost, cost + costOf(all.first(k), all[k]));
        return cost;
    }

    std::int64_t costOf(std::span<const Instr> before, const Instr& instr) const {
        switch (instr.op) {
            case Op::Loop: {
                const auto counts = affine.induction(before, instr);
                const std::int64_t each = costOf(instr.blocks[1]) + kInstr;
                return counts && counts->trips > kMost / each ? kMost
                       : counts                               ? each * counts->trips
                                                              : each;
            }
            case Op::Contract: return ir::countProducts(ir::contractionOf(instr));
            case Op::Math: return isInstruction(instr.math) ? kInstr : kFunction;
            case Op::Copy:
            case Op::Zero: return types::sizeOf(instr.type) / kCopiedBytes;
            default: break;
        }
        std::int64_t cost = kInstr;
        for (BlockId block : instr.blocks) cost = std::min(kMost, cost + costOf(block));
        return cost;
    }

    const ir::Body& body;
    const std::function<bool(const Instr&)>& mayBe;
    const std::int64_t scratch;
    ir::Affine affine;
    SharedLoops found;
};

}  // namespace

SharedLoops findSharedLoops(const ir::Body& body, const std::function<bool(const Instr&)>& mayBe,
                            std::int64_t scratch) {
    return Finder(body, mayBe, scratch).run();
}

std::string print(const ir::Body& body, const SharedLoops& loops) {
    std::string text;
    for (const ir::Block& block : body.blocks)
        for (const Instr& instr : block.instrs) {
            const auto found = loops.find(&instr);
            if (found == loops.end()) continue;
            const SharedLoop& loop = found->second;
            text += fmt::format("{} parts of {} rounds of '{}'", loop.parts(), loop.grain,
                                body.locals[loop.trips.counts.counter].name);
            const char* separator = ", each with its own ";
            for (std::uint32_t local : loop.trips.own) {
                if (!body.locals[local].type->isAggregate()) continue;
                text += separator + ("'" + body.locals[local].name + "'");
                separator = ", ";
            }
            text += "\n";
        }
    return text;
}

}  // namespace strc::codegen
