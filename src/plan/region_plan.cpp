// The phases of a region: it is planned as a program of its own.
#include <map>
#include <utility>

#include "base/pass.h"
#include "plan/detail/chunk.h"
#include "plan/detail/fuse.h"
#include "plan/detail/place.h"
#include "plan/detail/ports.h"
#include "plan/detail/regions.h"
#include "plan/detail/scale.h"
#include "plan/work.h"
#include "sched/balance.h"

namespace strc::plan {
namespace {

using graph::kNone;

/// A region as a program of its own.
class Part {
public:
    Part(const graph::Graph& program, const Region& region) : nodes(region.nodes) {
        for (NodeId id : nodes) {
            graph::Node node = program.nodes[id];
            node.parent = kNone;
            node.order = static_cast<std::uint32_t>(graph.nodes.size());
            for (EdgeId& edge : node.inputs) edge = local(program, edge);
            for (EdgeId& edge : node.outputs) edge = local(program, edge);
            graph.nodes.push_back(std::move(node));
        }
        for (NodeId id = 0; id < graph.nodes.size(); ++id) {
            for (EdgeId edge : graph.nodes[id].inputs) graph.edges[edge].to = id;
            for (EdgeId edge : graph.nodes[id].outputs) graph.edges[edge].from = id;
        }
        if (region.input != kNone) graph.input = localEdges[region.input];
        graph.output = localEdges[region.output];
    }

    void rename(std::vector<Step>& steps) const {
        for (Step& step : steps) {
            if (step.node != kNone) step.node = nodes[step.node];
            if (step.channel != kNone) step.channel = edges[step.channel];
            rename(step.body);
        }
    }

    graph::Graph graph;
    const std::vector<NodeId>& nodes;  ///< of the program, by NodeId of the part
    std::vector<EdgeId> edges;  ///< likewise

private:
    EdgeId local(const graph::Graph& program, EdgeId id) {
        auto [found, isNew] = localEdges.try_emplace(id, static_cast<EdgeId>(edges.size()));
        if (!isNew) return found->second;
        edges.push_back(id);
        graph::Edge edge = program.edges[id];
        edge.from = edge.to = kNone;
        edge.initial.clear();  // of the queue that it may be
        graph.edges.push_back(std::move(edge));
        return found->second;
    }

    std::map<EdgeId, EdgeId> localEdges;
};

std::int64_t sum(const std::vector<std::int64_t>& counts) {
    std::int64_t total = 0;
    for (std::int64_t count : counts) total = graph::addCounts(total, count);
    return total;
}

class RegionPlanning {
public:
    RegionPlanning(base::Context& all, Plan& made, Region& from, const graph::Repetitions& whole,
                   const Options& how)
        : context(all),
          plan(made),
          region(from),
          program(whole),
          options(how),
          part(plan.program->graph, region),
          sharing(part.graph) {}

    bool run() {
        base::Context scratch;
        repetitions = sched::balance(scratch, part.graph);
        if (!repetitions) return false;
        const auto schedule =
            sched::schedule(scratch, part.graph, *repetitions, sched::Order::Buffers);
        if (!schedule) return false;
        const std::int64_t initReads =
            part.graph.input == kNone ? 0 : openInitReads(part.graph, *repetitions);
        const std::vector<std::int64_t> none(part.graph.edges.size());
        Placed init = place(part.graph, schedule->init, {none, initReads, true});
        const Begin begin{init.held, reads(), false, &sharing};
        for (EdgeId id = 0; id < part.edges.size(); ++id)
            plan.channels[part.edges[id]].retained = init.held[id];
        region.initFirings = sum(repetitions->init);
        region.steadyFirings = sum(repetitions->steady);
        region.init = phaseOf(std::move(init), initReads, 0);
        region.steady = phaseOf(place(part.graph, schedule->steady, begin), reads(), 1);
        if (options.undoes) takeScaled(scratch, begin);
        return true;
    }

private:
    /// Of a steady state.
    std::int64_t reads() const {
        if (part.graph.input == kNone) return 0;
        return repetitions->steady[part.graph.edges[part.graph.input].to] *
               popRate(part.graph, part.graph.input);
    }

    Phase phaseOf(Placed placed, std::int64_t items, std::int64_t iterations) {
        for (EdgeId id = 0; id < part.edges.size(); ++id) {
            std::int64_t& capacity = plan.channels[part.edges[id]].capacity;
            capacity = std::max(capacity, placed.capacity[id]);
        }
        part.rename(placed.steps);
        return {std::move(placed.steps), {items}, iterations};
    }

    std::vector<bool> sequential() const {
        const std::vector<bool> all = findSequential(*plan.program);
        std::vector<bool> found;
        for (NodeId id : part.nodes) found.push_back(all[id]);
        return found;
    }

    std::int64_t mostFactor() const {
        return options.mostItems /
               std::max({std::int64_t{1}, reads(), pushRate(part.graph, part.graph.output)});
    }

    /// From the schedule in which each node stands once.
    void takeScaled(base::Context& scratch, const Begin& begin) {
        const auto schedule =
            sched::schedule(scratch, part.graph, *repetitions, sched::Order::SingleAppearance);
        if (!schedule) return;
        Scalable all{&schedule->steady, begin, begin.held, sequential(), options.factor, false};
        Scaled scaled = scale(context, part.graph, mostFactor(), all);
        if (scaled.factor == 0) return;
        region.scaled = phaseOf(std::move(scaled.placed), reads() * scaled.factor, scaled.factor);
        all.factor = region.scaled.iterations;
        if (options.chunks && context.passes.isEnabled(base::Pass::Chunks)) takeChunk(all);
    }

    void takeChunk(const Scalable& all) {
        const WorkEstimate work(*plan.program, options.measured);
        const graph::Repetitions firings = repetitionsOf(region, program);
        auto [scaled, size] = chunked(part.graph, all,
                                      {mostFactor(), work.ofSteadyState(firings),
                                       fewestFirings(firings), options.chunkStates});
        if (scaled.factor == 0) return;
        const std::vector<Channel> before = plan.channels;
        std::vector<std::int64_t> capacity(plan.channels.size());
        for (EdgeId id = 0; id < part.edges.size(); ++id)
            capacity[part.edges[id]] = scaled.placed.capacity[id];
        Phase phase = phaseOf(scaled.placed, reads() * scaled.factor, scaled.factor);
        scaled.placed.steps = std::move(phase.steps);
        auto chunk =
            cutIntoSegments(plan, std::move(scaled.placed), phase.reads, size, firings, work);
        const bool pays = chunk && (options.chunkStates != 0 || canGain(*chunk));
        if (!pays || !base::PassRun(context.passes, base::Pass::Chunks, "a static region")) {
            plan.channels = before;
            return;
        }
        takeMoreSlices(plan, *chunk, before, capacity, size.most);
        region.chunk = std::move(chunk);
    }

    base::Context& context;
    Plan& plan;
    Region& region;
    const graph::Repetitions& program;
    const Options& options;
    const Part part;
    const Sharing sharing;
    std::optional<graph::Repetitions> repetitions;
};

}  // namespace

bool planRegion(base::Context& context, Plan& plan, Region& region,
                const graph::Repetitions& program, const Options& options) {
    // A queue between two regions would need two channels.
    if (plan.channels[region.output].capacity != 0 ||
        (region.input != kNone && plan.channels[region.input].capacity != 0))
        return false;
    return RegionPlanning(context, plan, region, program, options).run();
}

graph::Repetitions repetitionsOf(const Region& region, const graph::Repetitions& program) {
    graph::Repetitions found;
    found.steady.resize(program.steady.size());
    for (NodeId id : region.nodes)
        found.steady[id] = program.steady[id] / program.steady[region.head];
    return found;
}

}  // namespace strc::plan
