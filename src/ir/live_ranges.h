#pragma once
/// From where to where in a body each local array is in use. Two that never are at the same time can have the same memory.

#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

/// Positions in the body's first block; what stands in blocks inside of an instruction is at its position. Empty: unused.
struct LiveRange {
    std::int64_t first = 0, last = -1;
    bool isEmpty() const { return last < first; }
    bool overlaps(const LiveRange& other) const {
        return first <= other.last && other.first <= last;
    }
};

/// By local. A live range begins with a declaration or a write, so nothing is kept from before; parameters live all the time.
std::vector<LiveRange> liveRanges(const Body&);

}  // namespace strc::ir
