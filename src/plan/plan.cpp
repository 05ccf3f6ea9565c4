#include "plan/plan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/pass.h"
#include "graph/flow.h"
#include "plan/detail/chunk.h"
#include "plan/detail/demand.h"
#include "plan/detail/fuse.h"
#include "plan/detail/layout.h"
#include "plan/detail/message_order.h"
#include "plan/detail/messages.h"
#include "plan/detail/partition.h"
#include "plan/detail/place.h"
#include "plan/detail/ports.h"
#include "plan/detail/regions.h"
#include "plan/detail/rings.h"
#include "plan/detail/scale.h"
#include "plan/detail/share.h"
#include "plan/drain.h"

namespace strc::plan {
namespace {

using graph::kNone;

/// Of tapes in a phase that threads share: near memory of several of them.
constexpr std::int64_t kMostSharedBytes = std::int64_t{1} << 22;

#ifdef STRC_CHECKED
constexpr std::int64_t kMostReplayed = 1 << 16;  ///< firings

std::int64_t firings(const graph::Repetitions& repetitions) {
    std::int64_t sum = 0;
    for (const auto* counts : {&repetitions.init, &repetitions.steady})
        for (std::int64_t count : *counts) sum = graph::addCounts(sum, count);
    return sum;
}
#endif

class Planning {
public:
    Planning(base::Context& context, const elab::Elaboration& program,
             const graph::Repetitions& repetitions, const sched::Schedule& schedule,
             const Options& options)
        : context(context),
          program(program),
          graph(program.graph),
          repetitions(repetitions),
          schedule(schedule),
          options(options),
          sharing(options.tapes == Tapes::Ring
                      ? Sharing(graph)
                      : findSharing(context, program, options.removesCode)) {
        result.program = &program;
        result.tapes = options.tapes;
        result.gone = sharing.allGone();
        findPorts(result);
    }

    /// Empty after reporting.
    std::optional<Plan> run() {
        if (!findMessages(context, result, repetitions)) return std::nullopt;
        const bool canUndo = options.undoes || options.undoesMessages;
        if (canUndo && !hasTextMessages(program)) messages = messageOrder(result);
        if (!messages.isEmpty()) stretched = inStretches(graph, messages, schedule.steady);
        std::vector<std::int64_t> held(graph.edges.size());
        for (EdgeId id = 0; id < held.size(); ++id)
            held[id] = static_cast<std::int64_t>(graph.edges[id].initial.size());
        result.channels.resize(graph.edges.size());
        Placed init = placed(schedule.init, {held, openReads(true), true, &sharing});
        const Begin begin{init.held, openReads(false), false, &sharing};
        Placed steady = placed(schedule.steady, begin);
        STRC_ASSERT(steady.held == init.held, "a steady state changes what is held");
        for (EdgeId id = 0; id < held.size(); ++id) {
            result.channels[id].edge = id;
            result.channels[id].tape = sharing.tapeOf(id);
            result.channels[id].itemSize = itemSize(graph, id);
            result.channels[id].retained = init.held[id];
            result.channels[id].start = sharing.startOf(id);
            if (sharing.tapeOf(id) == id)
                result.channels[id].capacity = sharing.startOf(id) + held[id];
        }
        take(result.init, std::move(init), repetitions.init, 0);
        if (options.tapes == Tapes::Linear && !program.dynamicFilters) takeScaled(begin);
        take(result.steady, std::move(steady), repetitions.steady, 1);
        if (options.chunk)
            takeOver(*options.chunk);
        else if (options.chunks && options.tapes == Tapes::Linear && !program.dynamicFilters)
            takeChunk(begin);
        if (options.partitioning)
            takeOver(*options.partitioning);
        else if (options.threads > 1 && options.tapes == Tapes::Linear && !program.dynamicFilters)
            takePartitions(begin);
        if (options.tapes == Tapes::Ring)
            for (Channel& channel : result.channels)
                channel.capacity = ringCapacity(channel.capacity);
        result.drain = options.ending ? findDrain(result, *options.ending, repetitions)
                                      : takeOverDrain(result);
        return std::move(result);
    }

private:
    Placed placed(const sched::Loop& phase, const Begin& begin) const {
        if (options.tapes == Tapes::Linear) return place(graph, phase, begin);
        return placeInRings(graph, phase, schedule.capacity, begin);
    }

    /// A phase that is undone would have to undo what symbolic filters did: they have none.
    void takeScaled(const Begin& begin) {
        Scaled scaled = scale(context, graph, mostFactor(), scalable(begin));
        if (scaled.factor > 0)
            take(result.scaled, std::move(scaled.placed), repetitions.steady, scaled.factor);
    }

    Scalable scalable(const Begin& begin) const {
        const sched::Loop& scaling = !messages.isEmpty() ? stretched
                                     : options.scaling   ? options.scaling->steady
                                                         : schedule.steady;
        return {&scaling,          begin,   itemsBetween(), sequential(), options.factor,
                options.forDevice, messages};
    }

    /// Filters with messages look at these before each firing.
    std::vector<bool> sequential() const {
        std::vector<bool> nodes = findSequential(program);
        for (const Mailbox& box : result.mailboxes) nodes[box.node] = false;
        return nodes;
    }

    /// A chunk is a transaction's, as the scaled phase is, and of no use without that.
    void takeChunk(const Begin& begin) {
        if (result.scaled.iterations == 0 || !context.passes.isEnabled(base::Pass::Chunks)) return;
        Scalable all = scalable(begin);
        all.factor = result.scaled.iterations;
        const WorkEstimate work(program, options.measured);
        auto [scaled, size] =
            chunked(graph, all,
                    {mostFactor(), work.ofSteadyState(repetitions), fewestFirings(repetitions),
                     options.chunkStates, options.ranks});
        if (scaled.factor == 0) return;
        if (options.ranks) {
            size.cuts = Cuts::Everywhere;
            size.most = size.slices;  // ranks have the usual ones
        }
        std::vector<Channel> before = result.channels;
        const std::vector<std::int64_t> capacity = scaled.placed.capacity;
        Phase phase;
        take(phase, scaled.placed, repetitions.steady, scaled.factor);
        scaled.placed.steps = std::move(phase.steps);
        auto chunk =
            cutIntoSegments(result, std::move(scaled.placed), phase.reads, size, repetitions, work);
        const bool pays = chunk && (options.chunkStates != 0 || options.ranks || canGain(*chunk));
        if (!pays || !base::PassRun(context.passes, base::Pass::Chunks, "the steady state")) {
            result.channels = std::move(before);
            return;
        }
        takeMoreSlices(result, *chunk, before, capacity, size.most);
        result.chunk = std::move(chunk);
    }

    void takeOver(const Chunk& chunk) {
        if (result.scaled.iterations == 0) return;
        result.chunk = chunk;
        for (const Segment& segment : chunk.segments)
            for (const Step& step : segment.steps) makeRoom(step);
    }

    void takeOver(const Partitioning& partitioning) {
        result.partitioning = partitioning;
        for (const std::vector<Step>* steps : {&partitioning.begin, &partitioning.end})
            for (const Step& step : *steps) makeRoom(step);
    }

    /// For the items of an end.
    void makeRoom(const Step& step) {
        if (step.kind == StepKind::Part) return;
        std::int64_t& capacity = result.channels[channelOf(step)].capacity;
        capacity = std::max(capacity, step.count);
    }

    /// Of a step that moves items between the one filter and the world or a file.
    EdgeId channelOf(const Step& step) const {
        if (step.kind != StepKind::Fire) return step.channel;
        const graph::Node& file = graph.nodes[step.node];
        return file.outputs.empty() ? file.inputs[0] : file.outputs[0];
    }

    /// As many steady states as one thread does at once, but each node with all its firings at a stretch.
    void takePartitions(const Begin& begin) {
        if (!context.passes.isEnabled(base::Pass::Partitions)) return;
        Scalable all = scalable(begin);
        all.sequential.assign(all.sequential.size(), false);  // fused, they would be one partition
        const std::int64_t states = std::max<std::int64_t>(result.scaled.iterations, 1);
        Scaled scaled = scaledBy(graph, all, {true, true, false}, states, kMostSharedBytes);
        if (scaled.factor == 0) return;
        const std::vector<Channel> before = result.channels;
        Phase phase;
        take(phase, scaled.placed, repetitions.steady, scaled.factor);
        scaled.placed.steps = std::move(phase.steps);
        auto made = divide(result, scaled.placed, scaled.factor, options.threads, options.measured);
        if (!made || !base::PassRun(context.passes, base::Pass::Partitions, "the steady state")) {
            result.channels = before;
            return;
        }
        made->reads = std::move(phase.reads);
        result.partitioning = std::move(made);
    }

    std::int64_t openReads(bool init) const {
        if (graph.input == kNone) return 0;
        const std::int64_t pop = popRate(graph, graph.input);
        return init ? openInitReads(graph, repetitions)
                    : repetitions.steady[graph.edges[graph.input].to] * pop;
    }

    /// On each edge between steady states, by what its ends have fired.
    std::vector<std::int64_t> itemsBetween() const {
        std::vector<std::int64_t> items;
        auto fired = [&](NodeId node, EdgeId edge, auto rate) -> std::int64_t {
            const std::int64_t count = repetitions.init[node];
            if (count == 0) return 0;
            return rate(graph, edge, true) + (count - 1) * rate(graph, edge, false);
        };
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            const graph::Edge& edge = graph.edges[id];
            auto sum = static_cast<std::int64_t>(edge.initial.size());
            sum += edge.from == kNone ? openReads(true) : fired(edge.from, id, graph::pushRate);
            items.push_back(edge.to == kNone ? 0 : sum - fired(edge.to, id, graph::popRate));
        }
        return items;
    }

    /// Steady states whose items at an open end are not too many.
    std::int64_t mostFactor() const {
        std::int64_t items = std::max<std::int64_t>(openReads(false), 1);
        if (graph.output != kNone)
            items = std::max(items, repetitions.steady[graph.edges[graph.output].from] *
                                        pushRate(graph, graph.output));
        return options.mostItems / items;
    }

    void take(Phase& phase, Placed placed, const std::vector<std::int64_t>& firings,
              std::int64_t iterations) {
        phase.steps = std::move(placed.steps);
        phase.iterations = iterations;
        const std::int64_t times = std::max<std::int64_t>(iterations, 1);
        for (const ProgramPort& port : result.inputs) {
            const bool isOpen = port.node == kNone;
            phase.reads.push_back(times *
                                  (isOpen ? openReads(iterations == 0) : firings[port.node]));
        }
        for (Step& step : phase.steps) {
            if (step.kind == StepKind::Read)
                step.port = static_cast<std::uint32_t>(result.inputs.size() - 1);
            if (step.kind == StepKind::Write)
                step.port = static_cast<std::uint32_t>(result.outputs.size() - 1);
        }
        for (EdgeId id = 0; id < placed.capacity.size(); ++id) {
            std::int64_t& capacity = result.channels[id].capacity;
            capacity = std::max(capacity, placed.capacity[id]);
        }
    }

    base::Context& context;
    const elab::Elaboration& program;
    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    const sched::Schedule& schedule;
    const Options& options;
    const Sharing sharing;
    MessageOrder messages;  ///< empty: what is sent cannot be undone, or nothing is
    sched::Loop stretched;  ///< the steady state, if there are messages
    Plan result;
};

/// Items wait in queues of the runtime; only regions have channels, and those are a pass. Empty after reporting.
std::optional<Plan> byDemand(base::Context& context, const elab::Elaboration& program,
                             const graph::Repetitions& repetitions, const Options& options) {
    Plan made;
    made.program = &program;
    if (!findMessages(context, made, repetitions)) return std::nullopt;
    findPorts(made);
    made.init.reads.assign(made.inputs.size(), 0);
    made.steady.reads = made.scaled.reads = made.init.reads;
    made.channels.resize(program.graph.edges.size());
    for (EdgeId id = 0; id < made.channels.size(); ++id) {
        made.channels[id].edge = made.channels[id].tape = id;
        made.channels[id].itemSize = itemSize(program.graph, id);
    }
    std::vector<Region> regions;
    if (options.tapes == Tapes::Linear &&
        base::PassRun(context.passes, base::Pass::Regions, "the graph"))
        regions = findRegions(context, made, repetitions, options);
    made.demand = findDemand(program, repetitions, std::move(regions));
    return made;
}

}  // namespace

std::optional<Plan> plan(base::Context& context, const elab::Elaboration& program,
                         const graph::Repetitions& repetitions, const sched::Schedule& schedule,
                         const Options& options) {
    STRC_ASSERT(whyNot(program).empty(), "a program without a plan");
    std::optional<Plan> made =
        program.graph.isDynamic()
            ? byDemand(context, program, repetitions, options)
            : Planning(context, program, repetitions, schedule, options).run();
    if (!made || !layOut(context, *made)) return std::nullopt;
    placeCarries(*made, repetitions);
#ifdef STRC_CHECKED
    if (firings(repetitions) <= kMostReplayed) {
        const std::vector<std::string> faults = verify(*made, repetitions);
        STRC_ASSERT(faults.empty(), faults.empty() ? "" : faults.front());
    }
#endif
    return made;
}

}  // namespace strc::plan
