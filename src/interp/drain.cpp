// The end of the input under --tail=drain: what still has its items fires (docs/design/ending.md).

#include <algorithm>

#include "graph/ending.h"
#include "interp/detail/static_run.h"

namespace strc::interp {

/// Items that an input has behind those taken, as far as `most` matters; -1 after reporting.
std::int64_t StaticRun::stillInput(std::uint32_t input, std::int64_t most) {
    NodeId owner = graph::kNone;
    io::Supply* source = state.openInput;
    std::uint32_t number = 0;
    for (Actor& actor : state.actors) {
        if (!actor.reader || number++ != input) continue;
        owner = actor.id;
        source = actor.reader;
        break;
    }
    base::Result<std::uint64_t> there =
        source->still(static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0)));
    if (there) return static_cast<std::int64_t>(*there);
    reportFile(state.context, state.elaboration, owner, there.failure());
    state.stop(End::Failed);
    return -1;
}

/// As in a phase of a run, but for firings that have none of their own items left. False: the run is over.
bool StaticRun::drainPhase(const std::vector<std::int64_t>& phase, std::int64_t* left) {
    for (Actor& actor : state.actors) {
        const std::int64_t firings = std::min(phase[actor.id], left[actor.id]);
        left[actor.id] -= firings;
        actor.target = actor.fired + firings;
        if (firings > 0) state.ready.insert(actor.order);
    }
    if (!fireToTargets()) return false;
    state.drainOutput(false);
    return !state.stopped;
}

/// Steady state by steady state, so that the order of what is seen is that of a run that goes on.
void StaticRun::drainInput() {
    if (state.stopped != End::EndOfInput || state.options.tail != Tail::Drain) return;
    state.stopped.reset();
    graph::Ending ending(state.graph, &state.repetitions);
    for (NodeId id = 0; id < state.actors.size(); ++id) ending.nodes[id].place = id;
    const strc_ending table = ending.table();
    auto still = [](void* self, std::uint32_t input, std::int64_t most) {
        return static_cast<StaticRun*>(self)->stillInput(input, most);
    };
    const strc_draining_facts facts{&table, static_cast<std::uint32_t>(state.actors.size()),
                                    state.hasBegun ? state.outcome.iterations : -1, still, this};
    std::vector<std::int64_t> numbers(strc_draining_numbers(&table, facts.places));
    strc_draining draining;
    if (strc_draining_begin(&draining, &facts, numbers.data()) != 0) return;
    if (state.openInput) {
        const std::int64_t more = draining.wanted[ending.input] - draining.fired[ending.input];
        state.channels.takeItems(*state.openInput, state.graph.input,
                                 static_cast<std::uint64_t>(more));
    }
    state.isDraining = true;
    if (draining.has_init && !drainPhase(state.repetitions.init, draining.left)) return;
    for (std::int64_t k = 0; k < draining.trips; ++k)
        if (!drainPhase(state.repetitions.steady, draining.left)) return;
    state.stop(End::EndOfInput);
}

}  // namespace strc::interp
