#pragma once
/// Bounds int locals in counted loops: `count++` under a condition is done once in an iteration at most. Private
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

/// By local that an iteration only adds constants to: how much it adds at most. Locals that the loop's step changes are
/// left out.
std::map<std::uint32_t, std::int64_t> incrementsOf(const Body&, const Instr& loop);

}  // namespace strc::ir
