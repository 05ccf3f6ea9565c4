#pragma once
/// Judges which nodes a plan leaves out, because what they give lies where they would take it from, and on
/// whose tape each edge lies. Shares no code with plan/detail/share.h, whose work it judges.

#include <vector>

#include "plan/detail/verify_faults.h"
#include "plan/plan.h"

namespace strc::plan {

class SharedTapes {
public:
    explicit SharedTapes(const Plan&);
    void check(VerifyFaults&) const;

    bool isGone(NodeId id) const { return gone[id]; }
    bool passesOn(const graph::Node&) const;
    EdgeId tapeOf(EdgeId id) const { return plan.channels[id].tape; }
    /// By the port of a step: the branches of a round robin that is gone instead of the edge between.
    const std::vector<EdgeId>& inputsOf(const graph::Node&) const;
    const std::vector<EdgeId>& outputsOf(const graph::Node&) const;

private:
    std::int64_t ownItems(const graph::Edge&) const;
    bool isDealt(const graph::Node&) const;
    bool isGoneOfKind(NodeId, graph::NodeKind) const;
    void checkChannel(const Channel&, VerifyFaults&) const;

    const Plan& plan;
    const graph::Graph& graph;
    std::vector<bool> gone;  ///< by NodeId
};

}  // namespace strc::plan
