#pragma once
/// How many items one run of a body pops, pushes and looks at: an abstract execution that knows
/// constants and local variables, and nothing of fields and items. Exact where control flow does not
/// depend on what it does not know; an interval over the possible paths elsewhere.

#include <cstdint>

#include "ir/ir.h"

namespace strc::ir {

constexpr std::int64_t kUnknown = INT64_MAX;

/// [min, max]; max kUnknown: no bound is known.
struct Interval {
    std::int64_t min = 0;
    std::int64_t max = 0;
    bool isExact() const { return min == max; }
    bool operator==(const Interval&) const = default;
};

struct ItemCounts {
    Interval pops, pushes;
    /// Greatest item looked at, counted from the start of the firing (1: the first): at least
    /// `peeks.min` on every path, at most `peeks.max` on any. Pops count as looking.
    Interval peeks;
    std::int64_t certainNegativePeek = 0;  ///< a peek offset < 0 that every path reaches, or 0
    SourceRange firstPush, lastPush, lastPop,
        farthestPeek;  ///< where, on the way that was followed
};

/// Whole: also what a counter and the pushes are together, so that a loop up to the counter is known to push
/// what was left out before. What a program is told about its rates does not depend on that.
enum class Counting : std::uint8_t { Simple, Whole };

/// Counts the items of a specialised body of `code`. Gives up (all bounds unknown) after `steps` operations.
ItemCounts countItems(const Module&, const StreamCode& code, const Body&, std::uint64_t steps,
                      Counting = Counting::Simple);

}  // namespace strc::ir
