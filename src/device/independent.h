#pragma once
/// Which loops may do all their rounds at once: proved, not believed. Private to device.

#include <vector>

#include "device/affine.h"

namespace strc::device {

/// Loops inside of each other, with nothing but what is pure between them: their rounds together are threads.
struct Nest {
    std::vector<Counted> loops;  ///< outermost first
    const ir::Instr* innermost = nullptr;
    /// Local arrays of which every round has its own: it writes all of one before it reads any of it.
    std::vector<std::uint32_t> own;

    std::int64_t rounds() const;
};

/// What makes the rounds of `loop` independent: it, and as many loops inside of it as are so too. No loops: they
/// may depend on each other. `affine` has entered the loops around it.
Nest independent(const ir::Body&, Affine& affine, const ir::Instr* before, const ir::Instr& loop);

}  // namespace strc::device
