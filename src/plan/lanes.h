#pragma once
/// Two plans: of a program, and of the same program in lanes (horizontal/lanes.h). Where in the state of the second lies what one phase of
/// the first leaves to the next.

#include <cstdint>
#include <optional>
#include <vector>

#include "elab/lane_fields.h"
#include "plan/plan.h"

namespace strc::plan {

/// `count` pieces of `bytes` bytes, one behind the other in the state of the one; in that of all each has one for every lane
/// beside it.
struct LanePiece {
    std::int64_t at = 0, inLanes = 0;  ///< bytes into the states
    std::int64_t bytes = 0, count = 0;
    bool operator==(const LanePiece&) const = default;
};

/// `fields`: by node. None: the two do not lie alike, since schedules have found other ways for them.
std::optional<std::vector<LanePiece>> lanePieces(const Plan& one, const Plan& all,
                                                 const std::vector<elab::LaneFields>& fields,
                                                 std::int64_t lanes);

}  // namespace strc::plan
