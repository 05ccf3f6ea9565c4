#pragma once
/// Which arrays of a body can lie where the channel has the item: one that is filled by popping it and never
/// written otherwise, and one that is pushed once it is complete. Then nothing is copied.

#include <cstdint>
#include <map>

#include "ir/ir.h"

namespace strc::ir {

struct ItemAlias {
    bool isOutput = false;
    std::int64_t index = 0;  ///< of the item, in the window of the firing
    bool operator==(const ItemAlias&) const = default;
};

struct ItemAliases {
    std::map<std::uint32_t, ItemAlias> locals;
    std::map<std::uint32_t, const Instr*>
        moves;  ///< by local: PopInto or PushFrom, which has nothing left to copy
};

bool isMove(const ItemAliases&, const Instr&);

/// Finds them in a body that keeps its rates, and that runs where the windows of input and output do not overlap and stay valid
/// until its end. Addresses are of the body.
ItemAliases findItemAliases(const Body&);

}  // namespace strc::ir
