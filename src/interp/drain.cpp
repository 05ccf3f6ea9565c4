// The end of the input under --tail=drain: what still has its items fires (docs/design/ending.md).

#include <algorithm>

#include "graph/ending.h"
#include "graph/flow.h"
#include "interp/engine.h"

namespace strc::interp {

/// Items that the input has behind what was taken, as far as `most` matters.
std::int64_t Engine::stillInput(io::Supply& input, NodeId owner, std::int64_t most) {
    base::Result<std::uint64_t> all = input.inAll(static_cast<std::uint64_t>(most));
    if (all) return static_cast<std::int64_t>(*all - input.given());
    reportFile(context, elaboration, owner, all.failure());
    stop(End::Failed);
    return 0;
}

/// Inputs that have not ended go on for as long as the one that has can still matter.
void Engine::drainInput() {
    if (stopped != End::EndOfInput || options.tail != Tail::Drain) return;
    stopped.reset();
    const std::int64_t states = graph::statesToFlush(graph, quota) + 1;
    std::vector<std::int64_t> fired, most;
    for (const Actor& actor : actors) {
        const std::int64_t quotas = graph::addCounts(
            quota.init[actor.id],
            graph::multiplyCounts(quota.steady[actor.id], outcome.iterations + states));
        fired.push_back(actor.fired);
        most.push_back(actor.fired);
        most.back() += actor.reader ? stillInput(*actor.reader, actor.id, quotas - actor.fired)
                                    : quotas - actor.fired;
    }
    std::int64_t openItems = 0, isTaken = 0;
    if (openInput) {
        isTaken = static_cast<std::int64_t>(openInput->given());
        const std::int64_t reads = graph::steadyReads(graph, quota, graph::kNone);
        const std::int64_t firings = most[graph.edges[graph.input].to];
        const std::int64_t pop = graph::popRate(graph, graph.input);
        const std::int64_t wanted =
            graph::addCounts(graph::multiplyCounts(firings, pop),
                             graph::addCounts(reads, graph::peekRate(graph, graph.input, true) +
                                                         graph::peekRate(graph, graph.input)));
        openItems = isTaken + stillInput(*openInput, graph::kNone,
                                         std::max<std::int64_t>(wanted - isTaken, 0));
    }
    if (stopped) return;
    const std::vector<std::int64_t> targets =
        graph::firingsToDrain(graph, fired, std::move(most), openItems);
    if (openInput) {
        const std::int64_t needed =
            graph::itemsNeeded(graph, graph.input, targets[graph.edges[graph.input].to]);
        const std::int64_t more =
            std::clamp<std::int64_t>(needed - isTaken, 0, openItems - isTaken);
        takeItems(*openInput, graph.input, static_cast<std::uint64_t>(more));
    }
    isDraining = true;
    for (Actor& actor : actors) {
        actor.target = targets[actor.id];
        ready.insert(actor.order);
    }
    if (!fireToTargets()) return;
    drainOutput(false);
    stop(End::EndOfInput);
}

}  // namespace strc::interp
