#pragma once
/// Which branches on data had better be selections. Half of the branches on random items are guessed wrong, which
/// costs more than doing both sides of a short one: values are chosen then, what is pushed or stored
/// in the wrong side goes to memory that nobody reads, and cursors move on by the condition.
/// What only chooses values is LLVM's; these are those that push or store elements.

#include <string>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

struct Selections {
    std::vector<bool> blocks;  ///< by the first block of an If: do both sides
    std::vector<std::uint32_t> roots;  ///< by register: the array of the body that it leads into
    std::vector<bool> locals;  ///< arrays into which selections lead
    bool any = false;
};

/// `mayPush`: there is room for what must not be pushed.
Selections findSelections(const Body&, bool mayPush);

/// "selected: %3 %17", their conditions; or "none".
std::string print(const Body&, const Selections&);

}  // namespace strc::ir
