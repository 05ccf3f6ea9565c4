#include "plan/detail/regions.h"

#include <algorithm>
#include <map>
#include <optional>

#include "graph/effects.h"
#include "plan/detail/place.h"
#include "plan/detail/ports.h"
#include "sched/balance.h"
#include "types/builtin_streams.h"

namespace strc::plan {
namespace {

using graph::kNone;

class RegionFinder {
public:
    RegionFinder(const elab::Elaboration& elaboration, const graph::Repetitions& counts)
        : program(elaboration), graph(elaboration.graph), repetitions(counts) {
        for (NodeId id = 0; id < graph.nodes.size(); ++id) isFree.push_back(mayJoin(id));
        for (const auto& receivers : program.portals)
            for (NodeId id : receivers) isFree[id] = false;
    }

    std::vector<Region> run() {
        std::vector<NodeId> byOrder(graph.nodes.size());
        for (NodeId id = 0; id < byOrder.size(); ++id) byOrder[graph.nodes[id].order] = id;
        std::vector<Region> found;
        for (auto id = byOrder.rbegin(); id != byOrder.rend(); ++id) {
            if (!isFree[*id] || graph.nodes[*id].outputs.size() != 1) continue;
            auto region = grow(*id);
            if (!region) continue;
            for (NodeId member : region->nodes) isFree[member] = false;
            found.push_back(std::move(*region));
        }
        return found;
    }

private:
    /// Nobody can tell when it fires.
    bool mayJoin(NodeId id) const {
        const graph::Node& node = graph.nodes[id];
        if (node.effects != graph::kNoEffect || node.prework || isInLoop(node)) return false;
        if (node.work.isDynamic()) return false;
        if (node.kernel == kNone) return true;
        const types::BuiltinStream builtin = program.kernels[node.kernel].builtin;
        return builtin == types::BuiltinStream::None ||
               types::info(builtin).role == types::BuiltinRole::Identity;
    }

    bool isInLoop(const graph::Node& node) const {
        for (graph::CompositeId c = node.parent; c != kNone; c = graph.composites[c].parent)
            if (graph.composites[c].kind == graph::CompositeKind::FeedbackLoop) return true;
        return false;
    }

    /// Everything above the head that fires for nothing but its firings.
    std::optional<Region> grow(NodeId head) const {
        Region region;
        region.head = head;
        region.output = graph.nodes[head].outputs[0];
        std::map<NodeId, bool> isMember{{head, true}};
        std::vector<NodeId> todo{head};
        while (!todo.empty()) {
            const NodeId below = todo.back();
            todo.pop_back();
            region.nodes.push_back(below);
            for (EdgeId edge : graph.nodes[below].inputs) {
                const NodeId above = graph.edges[edge].from;
                if (above == kNone || isMember[above] || !joins(above, head, isMember)) continue;
                isMember[above] = true;
                todo.push_back(above);
            }
        }
        if (region.nodes.size() < 2 || !findInput(region, isMember)) return std::nullopt;
        std::sort(region.nodes.begin(), region.nodes.end(), [this](NodeId a, NodeId b) {
            return graph.nodes[a].order < graph.nodes[b].order;
        });
        return region;
    }

    bool joins(NodeId above, NodeId head, std::map<NodeId, bool>& isMember) const {
        if (!isFree[above] || repetitions.steady[above] % repetitions.steady[head] != 0)
            return false;
        return std::all_of(graph.nodes[above].outputs.begin(), graph.nodes[above].outputs.end(),
                           [&](EdgeId id) {
                               const graph::Edge& edge = graph.edges[id];
                               return edge.to != kNone && isMember[edge.to] &&
                                      !isDynamic(graph, id) && edge.initial.empty();
                           });
    }

    /// Either all its items come from one queue, or it makes them itself.
    bool findInput(Region& region, std::map<NodeId, bool>& isMember) const {
        bool hasSource = false;
        for (NodeId id : region.nodes) {
            hasSource = hasSource || graph.nodes[id].inputs.empty();
            for (EdgeId edge : graph.nodes[id].inputs) {
                const NodeId above = graph.edges[edge].from;
                if (above != kNone && isMember[above]) continue;
                if (region.input != kNone) return false;
                region.input = edge;
            }
        }
        return hasSource == (region.input == kNone);
    }

    const elab::Elaboration& program;
    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    std::vector<bool> isFree;  ///< may join a region, and is in none yet
};

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
    std::vector<EdgeId> edges;  ///< of the program, by EdgeId of the part

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

    const std::vector<NodeId>& nodes;
    std::map<EdgeId, EdgeId> localEdges;
};

std::int64_t sum(const std::vector<std::int64_t>& counts) {
    std::int64_t total = 0;
    for (std::int64_t count : counts) total = graph::addCounts(total, count);
    return total;
}

/// False: it has no room beside another region, or its schedule would be too long or too large.
bool planRegion(Plan& plan, Region& region) {
    // A queue between two regions would need two channels.
    if (plan.channels[region.output].capacity != 0 ||
        (region.input != kNone && plan.channels[region.input].capacity != 0))
        return false;
    const Part part(plan.program->graph, region);
    base::Context scratch;
    const auto repetitions = sched::balance(scratch, part.graph);
    if (!repetitions) return false;
    const auto schedule = sched::schedule(scratch, part.graph, *repetitions, sched::Order::Buffers);
    if (!schedule) return false;
    std::int64_t initReads = 0, reads = 0;
    if (part.graph.input != kNone) {
        initReads = openInitReads(part.graph, *repetitions);
        reads = repetitions->steady[part.graph.edges[part.graph.input].to] *
                popRate(part.graph, part.graph.input);
    }
    const std::vector<std::int64_t> none(part.graph.edges.size());
    Placed init = place(part.graph, schedule->init, {none, initReads, true});
    Placed steady = place(part.graph, schedule->steady, {init.held, reads});
    for (EdgeId id = 0; id < part.edges.size(); ++id) {
        Channel& channel = plan.channels[part.edges[id]];
        channel.retained = init.held[id];
        channel.capacity = std::max(init.capacity[id], steady.capacity[id]);
    }
    part.rename(init.steps);
    part.rename(steady.steps);
    region.init = {std::move(init.steps), {initReads}, 0};
    region.steady = {std::move(steady.steps), {reads}, 1};
    region.initFirings = sum(repetitions->init);
    region.steadyFirings = sum(repetitions->steady);
    return true;
}

}  // namespace

bool isQueue(const Plan& plan, EdgeId id) {
    const graph::Edge& edge = plan.program->graph.edges[id];
    const auto holds = [](const Region& region, NodeId node) {
        return std::find(region.nodes.begin(), region.nodes.end(), node) != region.nodes.end();
    };
    const std::vector<Region>& regions = plan.demand->regions;
    return std::none_of(regions.begin(), regions.end(), [&](const Region& region) {
        return holds(region, edge.from) && holds(region, edge.to);
    });
}

std::vector<Region> findRegions(Plan& plan, const graph::Repetitions& repetitions) {
    std::vector<Region> regions;
    if (hasVisibleOrder(plan.program->graph)) return regions;
    for (Region& region : RegionFinder(*plan.program, repetitions).run())
        if (planRegion(plan, region)) regions.push_back(std::move(region));
    return regions;
}

}  // namespace strc::plan
