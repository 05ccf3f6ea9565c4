#pragma once
/// Where a program in lanes (horizontal/lanes.h) has the fields of a filter of the one program.

#include <cstdint>
#include <vector>

namespace strc::elab {

struct LaneFields {
    std::vector<std::uint32_t>
        fields;  ///< by field: the one that has it for all lanes; graph::kNone: it never changes
    /// It is an array of what each lane has; else each scalar lies beside those of the other lanes.
    bool areWhole = false;
};

}  // namespace strc::elab
