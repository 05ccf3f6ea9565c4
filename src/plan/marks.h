#pragma once
/// What steps do to the numbers of items on tapes, and how often they fire whom. In: a plan of static rates.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "plan/plan.h"

namespace strc::plan {

/// The most items on a tape in the phases init, steady, scaled, and in a chunk; 0: there is no such phase. -1: the tape is a part of
/// another one, whose numbers include it.
using Marks = std::array<std::int64_t, 4>;
/// By EdgeId. A tape that several readers share counts until its slowest reader is done, with all that ever lies there.
std::vector<Marks> highWaterMarks(const Plan&);

/// Firings of each node that has any.
std::map<NodeId, std::int64_t> firingsOf(const std::vector<Step>&);

}  // namespace strc::plan
