// The end of the input under --tail=drain: what still has its items fires (docs/design/ending.md).

#include <algorithm>
#include <cstring>

#include "graph/ending.h"
#include "interp/detail/ports.h"
#include "interp/detail/static_run.h"

namespace strc::interp {

namespace {

/// Numbers of firings that are left, of a program that has become one filter.
std::size_t placesOf(const elab::Kernel& kernel) {
    const auto bytes =
        static_cast<std::size_t>(types::sizeOf(kernel.fieldTypes[kernel.drain->left]));
    return bytes / sizeof(std::int64_t);
}

}  // namespace

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

/// The one filter that the program has become, if anything can be left at the end of its input; else null.
Actor* StaticRun::drainsItself() {
    Actor& first = state.actors[0];
    return first.kernel && first.kernel->drain ? &first : nullptr;
}

graph::Ending StaticRun::ending() {
    if (Actor* one = drainsItself()) return one->kernel->drain->ending;
    graph::Ending made(state.graph, &state.repetitions);
    for (NodeId id = 0; id < state.actors.size(); ++id) made.nodes[id].place = id;
    return made;
}

bool StaticRun::drainPhases(const strc_draining& draining) {
    if (draining.has_init && !drainPhase(state.repetitions.init, draining.left)) return false;
    for (std::int64_t k = 0; k < draining.trips; ++k)
        if (!drainPhase(state.repetitions.steady, draining.left)) return false;
    return true;
}

/// Nobody fires the filters with files of a program whose one filter drains itself: the last items of the files, for that.
void StaticRun::takeFiles(const strc_draining& draining) {
    std::uint32_t input = 0;
    for (const Actor& actor : state.actors) {
        if (!actor.reader) continue;
        const strc_ending_node* nodes = draining.ending->nodes;
        const auto source =
            std::find_if(nodes, nodes + draining.ending->node_count,
                         [input](const strc_ending_node& node) { return node.input == input; });
        const std::int64_t more = draining.wanted[source - nodes] - draining.fired[source - nodes];
        state.channels.takeItems(*actor.reader, actor.node->outputs[0],
                                 static_cast<std::uint64_t>(more));
        ++input;
    }
}

/// What the one filter has given. False: the run is over.
bool StaticRun::writeFiles() {
    return std::all_of(state.actors.begin(), state.actors.end(), [&](Actor& actor) {
        if (!actor.writer || actor.input->size() == 0) return true;
        return firings.fire(actor, static_cast<std::int64_t>(actor.input->size()));
    });
}

/// One of the functions. The numbers say how much it has given. False: the run is over.
bool StaticRun::drainOnce(Actor& one, const eval::Code& code, bool isInit) {
    const elab::Drain& drain = *one.kernel->drain;
    std::vector<std::int64_t> before(placesOf(*one.kernel)), after(before.size());
    const std::byte* numbers = one.instance.state.data() + one.kernel->fieldOffsets[drain.left];
    const std::size_t bytes = before.size() * sizeof(std::int64_t);
    std::memcpy(before.data(), numbers, bytes);
    for (std::size_t port = 0; port < one.node->inputRates.size(); ++port) {
        const graph::FlowRate& rate = one.node->inputRates[port];
        takeAtPort(state.channels, one, port, isInit ? rate.first : rate.then);
    }
    if (!firings.runFunction(one, code)) return false;
    std::memcpy(after.data(), numbers, bytes);
    for (std::size_t port = 0; port < one.node->outputRates.size(); ++port) {
        const std::uint32_t place = drain.outputPlaces[port];
        giveAtPort(state.channels, one, port, before[place] - after[place]);
    }
    return true;
}

/// The functions leave firings out themselves, by the numbers in a field.
bool StaticRun::drainFunctions(const strc_draining& draining, Actor& one) {
    const elab::Drain& drain = *one.kernel->drain;
    takeFiles(draining);
    std::memcpy(one.instance.state.data() + one.kernel->fieldOffsets[drain.left], draining.left,
                placesOf(*one.kernel) * sizeof(std::int64_t));
    auto run = [&](const eval::Code& code, bool isInit) {
        if (!drainOnce(one, code, isInit) || !writeFiles()) return false;
        state.drainOutput(false);
        return !state.stopped;
    };
    if (draining.has_init && !run(*one.code->firstDrain, true)) return false;
    for (std::int64_t k = 0; k < draining.trips; ++k)
        if (!run(*one.code->drain, false)) return false;
    const strc_waiting waiting = strc_ending_waiting(draining.ending, draining.wanted);
    state.waiting = graph::Waiting{waiting.items, waiting.most};
    return true;
}

/// Steady state by steady state, so that the order of what is seen is that of a run that goes on.
void StaticRun::drainInput() {
    if (state.stopped != End::EndOfInput || state.options.tail != Tail::Drain) return;
    state.stopped.reset();
    const graph::Ending ending = this->ending();
    Actor* one = drainsItself();
    const strc_ending table = ending.table();
    auto still = [](void* self, std::uint32_t input, std::int64_t most) {
        return static_cast<StaticRun*>(self)->stillInput(input, most);
    };
    const std::size_t places = one ? placesOf(*one->kernel) : state.actors.size();
    const strc_draining_facts facts{&table, static_cast<std::uint32_t>(places),
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
    if (one ? drainFunctions(draining, *one) : drainPhases(draining)) state.stop(End::EndOfInput);
}

}  // namespace strc::interp
