#pragma once
/// Proves which loops may run all their iterations at the same time.

#include <set>
#include <vector>

#include "ir/iteration.h"

namespace strc::ir {

/// A perfect nest of loops, apart from pure instructions between them: each iteration of the innermost one may be a thread.
struct Nest {
    std::vector<Induction> loops;  ///< outermost first
    const Instr* innermost = nullptr;
    /// Local arrays of which every iteration has its own: it writes all of one before it reads any of it.
    std::vector<std::uint32_t> own;
    Touched touched;

    std::int64_t trips() const;
};

/// Proves that iterations of `loop` are independent, and those of as many loops inside of it as possible. A nest without loops
/// means that they may depend on each other. `affine` has entered the loops around it. `reduced`: locals that iterations may read
/// and store, since who asks takes care of that.
Nest findParallelNest(const Body&, Affine& affine, std::span<const Instr> before, const Instr& loop,
                      const std::set<std::uint32_t>& reduced = {});

/// A loop whose iterations may be divided among threads.
struct ParallelLoop {
    Induction counts;
    std::set<std::uint32_t>
        own;  ///< locals that every iteration has for itself, the counter among them
};
/// Iterations may contain contractions. Empty: iterations may depend on each other, or there are fewer than two.
std::optional<ParallelLoop> findParallelLoop(const Body&, Affine& affine,
                                             std::span<const Instr> before, const Instr& loop);

/// Does anything but the loop, and the store that begins it, use the local?
bool isUsedOutside(const Body&, std::uint32_t local, const Instr& loop, const Instr* begin);

/// Can both nests become one that does an iteration of the first, then the same one of the second? They cannot if an iteration
/// of the second depends on another one of the first. If they can, `first` gets the accesses of both.
bool joinNests(Nest& first, const Nest& second, const Affine&);

}  // namespace strc::ir
