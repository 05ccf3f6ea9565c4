#pragma once
/// The end of the input on counts (docs/design/ending.md): what stays on tapes behind whole steady states, how many
/// steady states of zeros bring it out, and how often everybody can still fire for the items that are there.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "strc/ending.h"

namespace strc::graph {

/// The counts of a program as the runtime takes them. Static rates only.
struct Ending {
    Ending() = default;
    /// Without a quota steady states are not counted: itemsWaiting and firingsToDrain alone.
    explicit Ending(const Graph&, const Repetitions* = nullptr);

    /// Of no compiled program; lives no longer than this.
    strc_ending table() const;

    std::vector<strc_ending_node> nodes;  ///< by NodeId, then the open input and the open output
    std::vector<strc_ending_flow> flows;
    NodeId input = kNone, output = kNone;  ///< the numbers of these two; kNone: there is none
    std::int64_t states = 0;
};

/// By NodeId: does it, directly or not, get anything of a file or the open input?
std::vector<bool> dependOnInput(const Graph&);

/// Can anything fire when the input ends between two steady states, or before the first one?
bool mayDrain(const Ending&);

/// Items that stay on tapes although they came from the input, or for it.
struct Waiting {
    std::int64_t items = 0;  ///< on all tapes
    NodeId most = kNone;  ///< before which most of them lie
};

/// After so many firings of each node. Those that a window keeps, and what goes round in a feedback loop, do not count.
/// Static rates only.
Waiting itemsWaiting(const Graph&, const std::vector<std::int64_t>& fired);

/// Items on an edge that its reader leaves there for its next firing; none: what stays there is not told (an open output, and
/// what goes round in a feedback loop). Dynamic rates, too.
std::optional<std::int64_t> itemsKept(const Graph&, EdgeId);

/// Steady states behind the last item of the input until nothing on a tape depends on that any more; what goes round
/// in a feedback loop does not count. Static rates only; 0 without an input.
std::int64_t statesToFlush(const Graph&, const Repetitions&);

/// Items of an input that an iteration reads: `source` reads a file, or kNone for the open input.
std::int64_t steadyReads(const Graph&, const Repetitions&, NodeId source);

/// How often a node is to fire in all, by number in the table, if nobody fires oftener than `most`: sources that read
/// files, and the open input, as often as they have items. Only firings count whose items come, directly or
/// not, to an end or an effect that depends on the input. None is less than in `fired`, which has been done.
std::vector<std::int64_t> firingsToDrain(const Ending&, const std::vector<std::int64_t>& fired,
                                         std::vector<std::int64_t> most);

}  // namespace strc::graph
