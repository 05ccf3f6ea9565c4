#pragma once
/// Decides which branches on data are if-converted. Half of the branches on random items are mispredicted, which
/// costs more than executing both sides of a short one: results are selected then, pushes and stores
/// of the wrong side go to memory that is never read, and cursors advance by the condition.
/// Branches that only choose values are left to LLVM; these are those that push or store elements. Arrays that are
/// parameters are outputs in the lower form, so one item in either side is left to LLVM there, too.

#include <string>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

struct IfConversion {
    std::vector<bool> blocks;  ///< by the first block of an If: do both sides
    std::vector<std::uint32_t> roots;  ///< by register: the local, or parameter, that it leads into
    std::vector<bool> locals;  ///< arrays into which selections lead
    bool any = false;
};

/// `mayPush`: there is room for what must not be pushed.
IfConversion findIfConversion(const Body&, bool mayPush);

/// "selected: %3 %17", their conditions; or "none".
std::string print(const Body&, const IfConversion&);

}  // namespace strc::ir
