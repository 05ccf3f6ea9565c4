// Programs with dynamic rates (language.md 13): sinks pull, everything upstream runs on demand,
// then what is left over is drained downstream.

#include <algorithm>

#include "graph/ending.h"
#include "interp/engine.h"

namespace strc::interp {

void Engine::findSelfFed() {
    for (Actor& actor : actors) {
        for (graph::CompositeId c = actor.node->parent; c != graph::kNone;
             c = graph.composites[c].parent) {
            const graph::Composite& composite = graph.composites[c];
            if (composite.kind == graph::CompositeKind::FeedbackLoop &&
                graph.nodes[composite.joiner].inputs.size() == 1)
                actor.selfFed = true;
        }
    }
}

void Engine::runDynamic() {
    std::vector<std::uint32_t> sinkIslands;
    for (NodeId id : byOrder) {
        std::uint32_t island = repetitions.island[id];
        if (isSink(id) &&
            std::find(sinkIslands.begin(), sinkIslands.end(), island) == sinkIslands.end())
            sinkIslands.push_back(island);
    }
    findSelfFed();
    while (!checkStops()) {
        bool progress = false;
        for (std::uint32_t island : sinkIslands)
            if (!pullIsland(island, progress)) break;
        drainStatic();
        drainOutput(false);
        if (!progress)
            stop(End::EndOfInput);
        else
            ++outcome.iterations;
    }
    if (stopped == End::EndOfInput && options.tail == Tail::Drain) drainDynamic(sinkIslands);
}

/// As long as anything moves that depends on the input: who lacks items holds no other up.
void Engine::drainDynamic(const std::vector<std::uint32_t>& sinkIslands) {
    stopped.reset();
    isDraining = true;
    for (Actor& actor : actors) actor.waiting = false;
    const std::vector<bool> depends = graph::dependOnInput(graph);
    for (bool progress = true; progress && !stopped;) {
        progress = false;
        for (std::uint32_t island : sinkIslands)
            for (NodeId id : byOrder)
                if (isSink(id) && repetitions.island[id] == island && depends[id])
                    for (std::int64_t k = 0; k < repetitions.steady[id] && fireByDemand(actors[id]);
                         ++k)
                        progress = true;
        if (drainStatic()) progress = true;
        drainOutput(false);
    }
    stop(End::EndOfInput);
}

/// One steady state of an island that holds a sink: its sinks fire, the rest follows from demand.
bool Engine::pullIsland(std::uint32_t island, bool& progress) {
    for (NodeId id : byOrder) {
        if (!isSink(id) || repetitions.island[id] != island) continue;
        for (std::int64_t k = 0; k < repetitions.steady[id]; ++k) {
            if (!fireByDemand(actors[id])) return false;
            progress = true;
        }
    }
    return true;
}

bool Engine::demandInput(std::uint64_t items) { return ensure(current->node->inputs[0], items); }

/// Fires an actor once, its sources first. False: the program is at its end, or has failed.
bool Engine::fireByDemand(Actor& actor) {
    if (stopped || actor.firing) return false;
    std::vector<EdgeId> inputs = actor.node->inputs;
    for (EdgeId edge : inputs) {
        bool isFilter = actor.node->kind == graph::NodeKind::Filter;
        std::int64_t need = isFilter ? actor.next().need : graph::popRate(graph, edge);
        if (!ensure(edge, static_cast<std::uint64_t>(need))) return false;
    }
    if (stopped || !fire(actor, 1)) return false;
    if (isCheckDue()) checkStops();
    return !stopped;
}

/// Runs sources until the edge holds so many items. The way up is kept in a list: graphs are
/// thousands of actors deep. Only dynamic input, which is asked for in the middle of a firing,
/// nests on the machine's stack.
bool Engine::ensure(EdgeId wanted, std::uint64_t items) {
    std::vector<Demand> stack{{wanted, items, nullptr}};
    const bool isThere = pursue(stack);
    if (isDraining)  // others may bring what it waited for
        for (const Demand& each : stack)
            if (each.asker) each.asker->waiting = false;
    return isThere;
}

bool Engine::pursue(std::vector<Demand>& stack) {
    while (!stack.empty()) {
        if (stopped) return false;
        Demand top = stack.back();
        if (tapes[top.edge].size() >= top.items) {
            if (top.asker) top.asker->waiting = false;
            stack.pop_back();
            continue;
        }
        NodeId source = graph.edges[top.edge].from;
        if (source == graph::kNone) {
            if (isLive) starved = true;
            if (starved) return false;
            if (!supply(*openInput, graph::kNone, 1)) return false;
            takeItems(*openInput, top.edge, 1);
            continue;
        }
        Actor& up = actors[source];
        if (up.firing || up.waiting) return false;  // it needs its own output
        bool lacks = false;
        for (EdgeId edge : up.node->inputs) {
            bool isFilter = up.node->kind == graph::NodeKind::Filter;
            std::int64_t need = isFilter ? up.next().need : graph::popRate(graph, edge);
            if (static_cast<std::int64_t>(tapes[edge].size()) >= need) continue;
            stack.push_back({edge, static_cast<std::uint64_t>(need), &up});
            lacks = up.waiting = true;
            break;
        }
        if (lacks) continue;
        if (!fire(up, 1)) return false;
        if (isCheckDue()) checkStops();
    }
    return !stopped;
}

/// Everything with static input rates fires as long as it can, but for loops that feed themselves. Did anything?
bool Engine::drainStatic() {
    bool any = false;
    for (bool moved = true; moved && !stopped;) {
        moved = false;
        for (auto it = byOrder.rbegin(); it != byOrder.rend() && !stopped; ++it) {
            Actor& actor = actors[*it];
            bool isFilter = actor.node->kind == graph::NodeKind::Filter;
            if (actor.node->inputs.empty() || actor.selfFed ||
                (isFilter && actor.next().dynamicInput))
                continue;
            while (!stopped && canFire(actor) && fire(actor, 1)) moved = any = true;
        }
    }
    return any;
}

}  // namespace strc::interp
