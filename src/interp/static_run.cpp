#include "interp/detail/static_run.h"

#include <algorithm>

#include "graph/flow.h"
#include "graph/hierarchy.h"

namespace strc::interp {

void StaticRun::run() {
    if (state.isTimeUp() || !runPhase(state.repetitions.init)) return drainInput();
    state.hasBegun = true;
    while (!state.checkStops())
        if (!runPhase(state.repetitions.steady))
            return drainInput();
        else
            ++state.outcome.iterations;
}

/// Everything that the phase will read must be there before it begins (language.md 17.2).
bool StaticRun::supplyPhase(const std::vector<std::int64_t>& phase) {
    for (Actor& actor : state.actors) {
        if (actor.reader) state.acting = &actor;
        if (!actor.reader ||
            state.supply(*actor.reader, actor.id, static_cast<std::uint64_t>(phase[actor.id])))
            continue;
        state.stop(End::EndOfInput);
        return false;
    }
    if (!state.openInput) return true;
    const graph::Edge& edge = state.graph.edges[state.graph.input];
    const Actor& consumer = state.actors[edge.to];
    std::int64_t pop = graph::popRate(state.graph, state.graph.input);
    std::int64_t needed =
        phase[consumer.id] * pop + graph::peekRate(state.graph, state.graph.input) - pop;
    if (consumer.fired == 0 && phase[consumer.id] > 0)
        needed += graph::popRate(state.graph, state.graph.input, true) - pop;
    if (consumer.fired == 0 && phase[consumer.id] == 1)
        needed = std::max(needed, graph::peekRate(state.graph, state.graph.input, true));
    const auto there = static_cast<std::int64_t>(state.channels.tapes[state.graph.input].size());
    const std::int64_t missing = std::max<std::int64_t>(0, needed - there);
    if (!state.supply(*state.openInput, graph::kNone, static_cast<std::uint64_t>(missing))) {
        state.stop(End::EndOfInput);
        return false;
    }
    state.channels.takeItems(*state.openInput, state.graph.input,
                             static_cast<std::uint64_t>(missing));
    return true;
}

bool StaticRun::runPhase(const std::vector<std::int64_t>& phase) {
    const Timing::Iteration timed(state.timing);
    if (!supplyPhase(phase)) return false;
    for (Actor& actor : state.actors) {
        actor.target = actor.fired + phase[actor.id];
        if (phase[actor.id] > 0) state.ready.insert(actor.order);
    }
    if (!fireToTargets()) return false;
    for (const Actor& actor : state.actors) {
        if (actor.fired >= actor.target) continue;
        reportStuck();
        return false;
    }
    state.drainOutput(false);
    return true;
}

/// Fires everybody as often as its target says, as far as there are items for it. False: the run is over.
bool StaticRun::fireToTargets() {
    for (std::int64_t top = state.ready.greatest(); top >= 0; top = state.ready.greatest()) {
        Actor& actor = state.actors[state.byOrder[static_cast<std::size_t>(top)]];
        if (actor.fired >= actor.target || !firings.canFire(actor)) {
            state.ready.erase(actor.order);
            continue;
        }
        if (!firings.fire(actor, firings.batchSize(actor))) return false;
        for (std::uint32_t order : actor.wakes) state.ready.insert(order);
        if (state.stopped || (state.isCheckDue() && state.checkStops())) return false;
    }
    return true;
}

/// Balance has shown that the quotas can be met, so only messages can be in the way.
void StaticRun::reportStuck() {
    state.stop(End::Failed);
    const Actor* waiting = nullptr;
    for (const Actor& actor : state.actors) {
        if (actor.fired >= actor.target) continue;
        if (!waiting) waiting = &actor;
        if (actor.guards.empty()) continue;
        const graph::Guard& guard = state.messages.guard(actor.guards.front());
        state.context.diags.add(Diag::ImpossibleLatency,
                                state.graph.messages[guard.message()].range)
            << graph::path(state.graph, guard.waitsFor()) << graph::path(state.graph, actor.id)
            << guard.latency();
        return;
    }
    STRC_ASSERT(waiting && waiting->node->parent != graph::kNone,
                "a filter alone waits for nobody");
    const graph::Composite& composite = state.graph.composites[waiting->node->parent];
    state.context.diags.add(Diag::Deadlock, composite.header)
        << "stream" << composite.name << graph::path(state.graph, waiting->id);
}

}  // namespace strc::interp
