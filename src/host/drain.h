#pragma once
/// --tail=drain in compiled programs: zeros follow the input, and of what the program writes only so much counts as
/// firings give that have all their items (docs/design/ending.md). Private to host.

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "io/supply.h"
#include "plan/plan.h"

namespace strc::host {

/// What of a run counts, in firings of the program as it was before passes.
struct Drained {
    std::vector<std::int64_t> fired;  ///< by NodeId
    std::int64_t iterations = 0;  ///< that had all their items
    std::int64_t used = 0;  ///< items of the input
    std::int64_t written = 0;  ///< items that the output has in the end
};

/// Zeros that have to follow an input so that all that counts comes out.
std::int64_t zerosToDrain(const plan::Plan&, const graph::Graph&, const graph::Quota&);

/// Of a program with one input, which has just promised zeros for the first time, and one output.
Drained findDrained(const plan::Plan&, const graph::Graph&, const graph::Quota&, io::Supply& input);

}  // namespace strc::host
