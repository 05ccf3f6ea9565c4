#pragma once
/// Finds loops that end soon. Code need not poll inside of them whether the run shall end, which would keep LLVM from vectorising
/// them.

#include <cstdint>
#include <set>

#include "ir/ir.h"

namespace strc::ir {

/// By the blocks of their bodies: loops that do at most so many instructions, those of loops inside of them counted for each
/// round. All of these count from a constant to a constant. Calls and contractions are never over soon.
std::set<BlockId> shortLoops(const Body&, std::int64_t most);

}  // namespace strc::ir
