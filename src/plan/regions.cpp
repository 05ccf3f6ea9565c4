#include "plan/detail/regions.h"

#include <algorithm>
#include <map>
#include <optional>

#include "graph/effects.h"
#include "plan/work.h"
#include "types/builtin_streams.h"

namespace strc::plan {
namespace {

using graph::kNone;

/// Of a filter that is a region alone: its items are copied for that.
constexpr double kHeavy = 200;

class RegionFinder {
public:
    RegionFinder(const elab::Elaboration& elaboration, const graph::Repetitions& counts)
        : program(elaboration), graph(elaboration.graph), repetitions(counts) {
        for (NodeId id = 0; id < graph.nodes.size(); ++id) isFree.push_back(mayJoin(id));
        const WorkEstimate work(program);
        for (NodeId id = 0; id < graph.nodes.size(); ++id)
            isHeavy.push_back(work.ofFiring(id) >= kHeavy);
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
        if (node.effects != graph::kNoEffect || node.prework ||
            isInFeedbackLoop(graph, node.parent))
            return false;
        if (node.work.isDynamic()) return false;
        if (node.kernel == kNone) return true;
        const types::BuiltinStream builtin = program.kernels[node.kernel].builtin;
        return builtin == types::BuiltinStream::None ||
               types::info(builtin).role == types::BuiltinRole::Identity;
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
        if ((region.nodes.size() < 2 && !isHeavy[head]) || !findInput(region, isMember))
            return std::nullopt;
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
    std::vector<bool>
        isHeavy;  ///< a firing is worth to be done beside others, in vectors or by threads
};

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

std::vector<Region> findRegions(base::Context& context, Plan& plan,
                                const graph::Repetitions& repetitions, const Options& options) {
    std::vector<Region> regions;
    if (hasVisibleOrder(plan.program->graph)) return regions;
    for (Region& region : RegionFinder(*plan.program, repetitions).run())
        if (planRegion(context, plan, region, repetitions, options))
            regions.push_back(std::move(region));
    return regions;
}

}  // namespace strc::plan
