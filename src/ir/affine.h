#pragma once
/// Addresses of array accesses as affine forms: sums of multiples of the iteration numbers of the loops around.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// A loop with an induction variable: `counter` is start + step * iteration, for iterations from 0 on.
struct Induction {
    std::uint32_t counter = kNone;  ///< the local
    std::int64_t start = 0, step = 1;
    std::int64_t trips = 0;
    const Instr* begin = nullptr;  ///< the store of `start`
};

/// constant + a multiple of each iteration number (by the counter's local) + a multiple of each loop-invariant register.
struct AffineForm {
    std::int64_t constant = 0;
    std::map<std::uint32_t, std::int64_t> trips;  ///< by counter
    std::map<std::uint32_t, std::int64_t> fixed;  ///< by register
};

/// The element that a ref leads to: an array, and bytes from its beginning.
struct AffineAddress {
    VarRef base;
    AffineForm offset;
};

/// Follows registers of a body. Counters that are known are those of the loops that have been entered.
class Affine {
public:
    explicit Affine(const Body&);

    void enter(const Induction& loop) { loops[loop.counter] = loop; }
    void leave(std::uint32_t counter) { loops.erase(counter); }
    const Induction* loop(std::uint32_t counter) const;
    /// Registers that are made here may change from iteration to iteration; others are fixed.
    void setInside(const std::vector<bool>* made) { inside = made; }

    /// The value of an int; empty if nothing is known.
    std::optional<AffineForm> value(Reg) const;
    std::optional<AffineAddress> address(Reg ref) const;
    const Instr& definition(Reg reg) const { return *definitions[reg]; }
    /// How a loop counts, if it does: nothing else in it stores the counter, and nothing leaves it early.
    /// `before`: the instructions of its block in front of it, one of which says where it begins.
    std::optional<Induction> induction(std::span<const Instr> before, const Instr& loop) const;

private:
    std::optional<std::int64_t> constant(Reg) const;
    const Instr* lastStore(std::span<const Instr> before, std::uint32_t local) const;
    bool isCounter(Reg, std::uint32_t local) const;
    void findConstantLocals();
    std::optional<AffineForm> compute(const Instr&) const;
    std::optional<AffineForm> fixedOr(Reg) const;

    const Body& body;
    std::vector<const Instr*> definitions;
    std::map<std::uint32_t, Induction> loops;
    std::map<std::uint32_t, std::int64_t> constantLocals;  ///< set once, before all else
    const std::vector<bool>* inside = nullptr;
};

/// Calls with every instruction of a block and of the blocks inside of it, in the order of the text.
template <typename Visit>
void forEach(const Body& body, BlockId id, Visit&& visit) {
    if (id == kNone) return;
    for (const Instr& instr : body.blocks[id].instrs) {
        visit(instr);
        for (BlockId block : instr.blocks) forEach(body, block, visit);
    }
}

}  // namespace strc::ir
