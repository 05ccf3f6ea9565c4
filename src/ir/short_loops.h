#pragma once
/// Loops that are over soon: nobody has to ask inside of them whether the run shall end, which would keep their rounds
/// from being done side by side.

#include <cstdint>
#include <set>

#include "ir/ir.h"

namespace strc::ir {

/// By the blocks of their bodies: loops that do at most so many instructions, those of loops inside of them counted for each
/// round. All of these count from a constant to a constant. Calls and contractions are never over soon.
std::set<BlockId> shortLoops(const Body&, std::int64_t most);

}  // namespace strc::ir
