#pragma once
/// How far int locals can get in a loop that counts: `count++` under a condition is done once a round at most. Private
/// to ir.

#include <cstdint>
#include <map>
#include <optional>

#include "ir/ir.h"

namespace strc::ir {

/// `for (…; i < n; i += c)`, c > 0, of which nothing else stores i or n.
struct CountedLoop {
    std::uint32_t counter = kNone;
    std::uint32_t limit = kNone;  ///< local; or kNone:
    std::int64_t bound = 0;  ///< the constant n
    std::int64_t step = 1;  ///< c
};
std::optional<CountedLoop> countedLoop(const Body&, const Instr& loop);

/// Of locals that a round of the loop changes in no other way: by how much it makes them greater at most. Not of
/// those that its step changes.
std::map<std::uint32_t, std::int64_t> growthOf(const Body&, const Instr& loop);

}  // namespace strc::ir
