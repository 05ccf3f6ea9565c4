#pragma once
/// The end of the input on counts (docs/design/ending.md): what stays on tapes behind whole steady states, how many
/// steady states of zeros bring it out, and how often everybody can still fire for the items that are there.

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace strc::graph {

/// Items that stay on tapes although they came from the input, or for it.
struct Waiting {
    std::int64_t items = 0;  ///< on all tapes
    NodeId most = kNone;  ///< before which most of them lie
};

/// After so many firings of each node. Those that a window keeps, and what goes round in a feedback loop, do not count.
/// Static rates only.
Waiting itemsWaiting(const Graph&, const std::vector<std::int64_t>& fired);

/// Steady states behind the last item of the input until nothing on a tape depends on that any more; what goes round
/// in a feedback loop does not count. Static rates only; 0 without an input.
std::int64_t statesToFlush(const Graph&, const Quota&);

/// Items of an input that an iteration reads: `source` reads a file, or kNone for the open input.
std::int64_t steadyReads(const Graph&, const Quota&, NodeId source);

/// Items of an open input, from the first on, that so many firings of its reader look at.
std::int64_t itemsNeeded(const Graph&, EdgeId input, std::int64_t firings);

/// Items that so many firings of its source have put on an open output.
std::int64_t itemsGiven(const Graph&, EdgeId output, std::int64_t firings);

/// How often a node is to fire in all, by NodeId, if sources that read files fire as often as `most` says, the open input
/// has `openItems` in all, and nobody fires oftener than `most`. Only firings count whose items come, directly or
/// not, to an end or an effect that depends on the input. None is less than in `fired`, which has been done.
std::vector<std::int64_t> firingsToDrain(const Graph&, const std::vector<std::int64_t>& fired,
                                         std::vector<std::int64_t> most, std::int64_t openItems);

}  // namespace strc::graph
