#include "live/detail/queues.h"

#include <algorithm>

namespace strc::live {

using graph::EdgeId;
using graph::NodeId;

namespace {

/// Items behind those that a firing takes, which it has to see, too.
std::int64_t lookahead(const Version& version, NodeId id) {
    if (id == graph::kNone || !version.isFilter(id)) return 0;
    const graph::Rates& work = version.node(id).work;
    if (work.pop.dynamic || work.peek.dynamic) return 0;
    return std::max<std::int64_t>(work.peek.max - work.pop.max, 0);
}

class QueueMatcher {
public:
    QueueMatcher(const Version& old, const Version& now, Transfer& transfer)
        : before(old), after(now), made(transfer), areBoth(old.plan.demand.has_value()) {}

    void match() {
        for (EdgeId id = 0; id < after.graph().edges.size(); ++id) matchEdge(id);
        for (NodeId id = 0; id < after.graph().nodes.size(); ++id)
            if (const std::optional<NodeId> old = predecessor(before, after, id))
                made.actors.push_back({areBoth ? *old : STRC_NOBODY, id});
    }

private:
    /// A window that has grown sees zeros before the items that were there, and one that has shrunk leaves the oldest of them out: so nothing
    /// comes later or earlier than it did. Who begins with a `prework` does that on the items that are there.
    void matchEdge(EdgeId id) {
        const NodeId reader = after.graph().edges[id].to;
        const std::optional<EdgeId> old = predecessorOf(id);
        const bool isBeginning = reader != graph::kNone && after.node(reader).prework &&
                                 !predecessor(before, after, reader);
        std::int64_t shift = isBeginning ? 0 : lookahead(after, reader);
        if (old && !isBeginning) shift -= lookahead(before, before.graph().edges[*old].to);
        if (!old && shift == 0) return;
        made.queues.push_back(after.nameOf(id));
        made.queueRows.push_back({old ? *old : STRC_NOBODY, id, shift, 0, 0});
    }

    std::optional<EdgeId> predecessorOf(EdgeId id) const {
        if (!areBoth) return std::nullopt;
        const std::optional<EdgeId> old = before.findEdge(after.keyOf(id));
        return old && areItemsAlike(before, *old, after, id) ? old : std::nullopt;
    }

    const Version &before, &after;
    Transfer& made;
    const bool areBoth;  ///< have dynamic rates
};

}  // namespace

void matchQueues(const Version& before, const Version& after, Transfer& made) {
    QueueMatcher(before, after, made).match();
}

}  // namespace strc::live
