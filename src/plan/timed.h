#pragma once
/// What a profile times: laps of a phase, each about some firings (strc/profile.h).

#include <compare>
#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace strc::plan {

struct TimedFirings {
    graph::NodeId node = graph::kNone;
    std::int64_t firings = 0;
    auto operator<=>(const TimedFirings&) const = default;
};

/// The filters whose firings one lap times, and how many of each; empty: items are moved.
using TimedSteps = std::vector<TimedFirings>;

}  // namespace strc::plan
