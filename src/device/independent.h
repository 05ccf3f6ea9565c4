#pragma once
/// Which loops may do all their rounds at once: proved, not believed. Private to device.

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "device/affine.h"

namespace strc::device {

/// An array, or a part of one, that a round reads or writes.
struct Access {
    Spot spot;
    std::int64_t size = 0;
    bool writes = false;
    bool isCertain = true;  ///< happens in every round
    std::vector<Counted> around;  ///< loops inside of the nest that it stands in
};

/// By array: space and index.
using ArrayName = std::pair<int, std::uint32_t>;
struct Touched {
    std::map<ArrayName, std::vector<Access>> accesses;
    std::set<ArrayName> unclear;  ///< arrays that are read who knows where
};

/// Loops inside of each other, with nothing but what is pure between them: their rounds together are threads.
struct Nest {
    std::vector<Counted> loops;  ///< outermost first
    const ir::Instr* innermost = nullptr;
    /// Local arrays of which every round has its own: it writes all of one before it reads any of it.
    std::vector<std::uint32_t> own;
    Touched touched;

    std::int64_t rounds() const;
};

/// What makes the rounds of `loop` independent: it, and as many loops inside of it as are so too. No loops: they
/// may depend on each other. `affine` has entered the loops around it.
Nest independent(const ir::Body&, Affine& affine, std::span<const ir::Instr> before,
                 const ir::Instr& loop);
/// Does anything but the loop, and what begins it, look at the local?
bool isUsedOutside(const ir::Body&, std::uint32_t local, const ir::Instr& loop,
                   const ir::Instr* begin);

/// Can the rounds of both be done one by one, the same round of one after that of the other, without looking at what
/// other rounds do? Then `first` has touched what both do.
bool joinNests(Nest& first, const Nest& second, const Affine&);

}  // namespace strc::device
