#pragma once
/// Which loops may do all their rounds at once: proved, not believed.

#include <set>
#include <vector>

#include "ir/round.h"

namespace strc::ir {

/// Loops inside of each other, with nothing but what is pure between them: their rounds together are threads.
struct Nest {
    std::vector<Counted> loops;  ///< outermost first
    const Instr* innermost = nullptr;
    /// Local arrays of which every round has its own: it writes all of one before it reads any of it.
    std::vector<std::uint32_t> own;
    Touched touched;

    std::int64_t rounds() const;
};

/// What makes the rounds of `loop` independent: it, and as many loops inside of it as are so too. No loops: they
/// may depend on each other. `affine` has entered the loops around it.
Nest independent(const Body&, Affine& affine, std::span<const Instr> before, const Instr& loop);

/// A loop whose rounds threads may do, each of them some.
struct Rounds {
    Counted counts;
    std::set<std::uint32_t>
        own;  ///< locals that every round has for itself, the counter among them
};
/// They may do contractions, too. Empty: rounds may depend on each other, or there are not several.
std::optional<Rounds> independentRounds(const Body&, Affine& affine, std::span<const Instr> before,
                                        const Instr& loop);

/// Does anything but the loop, and what begins it, look at the local?
bool isUsedOutside(const Body&, std::uint32_t local, const Instr& loop, const Instr* begin);

/// Can the rounds of both be done one by one, the same round of one after that of the other, without looking at what
/// other rounds do? Then `first` has touched what both do.
bool joinNests(Nest& first, const Nest& second, const Affine&);

}  // namespace strc::ir
