#pragma once
/// Doing without nodes that only move items. Private to plan.
/// - Splitters that duplicate, and identities: what they give is what they got, so whoever reads behind them
///   reads it where it lies already: a tape with several readers.
/// - Delays, which give some items of their own first (enqueued ones, or what a prework pushes): these lie before
///   those of the tape, and whoever reads behind the delay begins with them.
/// - Round robins of weights 1 beside a filter that takes or gives one item of each branch: it reads or writes
///   the branches themselves.

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.h"
#include "elab/elaborate.h"
#include "plan/plan.h"
#include "sched/schedule.h"

namespace strc::plan {

/// Edges that lie in the memory of one of them, the tape. By what the graph says alone: between steady states
/// the readers may be at different places.
class Sharing {
public:
    /// Nothing is shared.
    explicit Sharing(const graph::Graph&);
    Sharing(const graph::Graph&, std::vector<bool> gone);

    EdgeId tapeOf(EdgeId edge) const { return tapes[edge]; }
    /// Where an edge begins on its tape at the start of the program: behind delays before the first item that is
    /// written there.
    std::int64_t startOf(EdgeId edge) const { return lags[tapes[edge]] - lagOf(edge); }
    std::int64_t lagOf(EdgeId edge) const { return tapes[edge] == edge ? 0 : lags[edge]; }
    /// Edges whose readers read this tape.
    std::span<const EdgeId> readersOf(EdgeId tape) const {
        return {readers.data() + start[tape], readers.data() + start[tape + 1]};
    }
    /// Edges that have readers: not those into nodes that are gone.
    bool isRead(EdgeId edge) const { return read[edge]; }
    bool isGone(NodeId node) const { return gone[node]; }
    const std::vector<bool>& allGone() const { return gone; }
    /// Plan::inputsOf, Plan::outputsOf
    const std::vector<EdgeId>& inputsOf(NodeId) const;
    const std::vector<EdgeId>& outputsOf(NodeId) const;
    /// Without the firings of nodes that are gone.
    sched::Loop withoutGone(const sched::Loop& phase) const;

private:
    void findTapes();
    bool hasReader(const graph::Edge&) const;

    const graph::Graph& graph;
    std::vector<bool> gone;  ///< by NodeId
    std::vector<bool> read;  ///< by EdgeId
    std::vector<EdgeId> tapes, readers;
    /// By EdgeId: items of delays before those of the tape; of a tape the most that one of its edges has.
    std::vector<std::int64_t> lags;
    std::vector<std::uint32_t> start;  ///< by tape, into readers; one more at the end
};

/// Items that a node gives before it passes on what it gets.
std::int64_t ownItems(const graph::Graph&, NodeId);

/// The passes `remove-identities`, `share-duplicates`, `remove-round-robins` and `remove-delays`.
/// `code`: also filters with code of their own that are identities.
Sharing findSharing(base::Context&, const elab::Elaboration&, bool code);

}  // namespace strc::plan
