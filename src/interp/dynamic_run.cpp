#include "interp/detail/dynamic_run.h"

#include <algorithm>

#include "graph/ending.h"

namespace strc::interp {

void DynamicRun::findSelfFed() {
    for (Actor& actor : state.actors) {
        for (graph::CompositeId c = actor.node->parent; c != graph::kNone;
             c = state.graph.composites[c].parent) {
            const graph::Composite& composite = state.graph.composites[c];
            if (composite.kind == graph::CompositeKind::FeedbackLoop &&
                state.graph.nodes[composite.joiner].inputs.size() == 1)
                actor.selfFed = true;
        }
    }
}

void DynamicRun::run() {
    std::vector<std::uint32_t> sinkIslands;
    for (NodeId id : state.byOrder) {
        std::uint32_t island = state.repetitions.island[id];
        if (state.isSink(id) &&
            std::find(sinkIslands.begin(), sinkIslands.end(), island) == sinkIslands.end())
            sinkIslands.push_back(island);
    }
    findSelfFed();
    while (!state.checkStops()) {
        const Timing::Iteration timed(state.timing);
        bool progress = false;
        for (std::uint32_t island : sinkIslands)
            if (!pullIsland(island, progress)) break;
        drainStatic();
        state.drainOutput(false);
        if (!progress)
            state.stop(End::EndOfInput);
        else
            ++state.outcome.iterations;
    }
    if (state.stopped == End::EndOfInput && state.options.tail == Tail::Drain)
        drainDynamic(sinkIslands);
}

/// As long as anything moves that depends on the input: who lacks items holds no other up.
void DynamicRun::drainDynamic(const std::vector<std::uint32_t>& sinkIslands) {
    state.stopped.reset();
    state.isDraining = true;
    for (Actor& actor : state.actors) actor.waiting = false;
    const std::vector<bool> depends = graph::dependOnInput(state.graph);
    for (bool progress = true; progress && !state.stopped;) {
        progress = false;
        for (std::uint32_t island : sinkIslands)
            for (NodeId id : state.byOrder)
                if (state.isSink(id) && state.repetitions.island[id] == island && depends[id])
                    for (std::int64_t k = 0;
                         k < state.repetitions.steady[id] && fireByDemand(state.actors[id]); ++k)
                        progress = true;
        if (drainStatic()) progress = true;
        state.drainOutput(false);
    }
    state.stop(End::EndOfInput);
}

/// One steady state of an island that holds a sink: its sinks fire, the rest follows from demand.
bool DynamicRun::pullIsland(std::uint32_t island, bool& progress) {
    for (NodeId id : state.byOrder) {
        if (!state.isSink(id) || state.repetitions.island[id] != island) continue;
        for (std::int64_t k = 0; k < state.repetitions.steady[id]; ++k) {
            if (!fireByDemand(state.actors[id])) return false;
            progress = true;
        }
    }
    return true;
}

bool DynamicRun::fireByDemand(Actor& actor) {
    if (state.stopped || actor.firing) return false;
    for (EdgeId edge : actor.node->inputs) {
        bool isFilter = actor.node->kind == graph::NodeKind::Filter;
        std::int64_t need = isFilter ? actor.next().need : graph::popRate(state.graph, edge);
        if (!ensure(edge, static_cast<std::uint64_t>(need))) return false;
    }
    if (state.stopped || !firings.fire(actor, 1)) return false;
    if (state.isCheckDue()) state.checkStops();
    return !state.stopped;
}

/// Runs sources until the edge holds so many items. The way up is kept in a list: graphs are
/// thousands of actors deep. Only dynamic input, which is asked for in the middle of a firing,
/// nests on the machine's stack.
bool DynamicRun::ensure(EdgeId wanted, std::uint64_t items) {
    std::vector<Demand> stack{{wanted, items, nullptr}};
    const bool isThere = pursue(stack);
    if (state.isDraining)  // others may bring what it waited for
        for (const Demand& each : stack)
            if (each.asker) each.asker->waiting = false;
    return isThere;
}

bool DynamicRun::pursue(std::vector<Demand>& stack) {
    while (!stack.empty()) {
        if (state.stopped) return false;
        Demand top = stack.back();
        if (state.channels.tapes[top.edge].size() >= top.items) {
            if (top.asker) top.asker->waiting = false;
            stack.pop_back();
            continue;
        }
        NodeId source = state.graph.edges[top.edge].from;
        if (source == graph::kNone) {
            if (state.isLive) state.starved = true;
            if (state.starved) return false;
            if (!state.supply(*state.openInput, graph::kNone, 1)) return false;
            state.channels.takeItems(*state.openInput, top.edge, 1);
            continue;
        }
        Actor& up = state.actors[source];
        if (up.firing || up.waiting) return false;  // it needs its own output
        bool lacks = false;
        for (EdgeId edge : up.node->inputs) {
            bool isFilter = up.node->kind == graph::NodeKind::Filter;
            std::int64_t need = isFilter ? up.next().need : graph::popRate(state.graph, edge);
            if (static_cast<std::int64_t>(state.channels.tapes[edge].size()) >= need) continue;
            stack.push_back({edge, static_cast<std::uint64_t>(need), &up});
            lacks = up.waiting = true;
            break;
        }
        if (lacks) continue;
        if (!firings.fire(up, 1)) return false;
        if (state.isCheckDue()) state.checkStops();
    }
    return !state.stopped;
}

bool DynamicRun::isDrained(const Actor& actor) {
    const bool isFilter = actor.node->kind == graph::NodeKind::Filter;
    return !actor.node->inputs.empty() && !actor.selfFed &&
           !(isFilter && actor.next().dynamicInput);
}

/// Everything with static input rates fires as long as it can, but for loops that feed themselves. Did anything?
bool DynamicRun::drainStatic() {
    bool any = false;
    for (bool again = true; again && !state.stopped;) {
        again = false;
        for (auto it = state.byOrder.rbegin(); it != state.byOrder.rend() && !state.stopped; ++it) {
            Actor& actor = state.actors[*it];
            if (!isDrained(actor)) continue;
            while (!state.stopped && firings.canFire(actor) && firings.fire(actor, 1))
                again = any = true;
        }
    }
    return any;
}

}  // namespace strc::interp
