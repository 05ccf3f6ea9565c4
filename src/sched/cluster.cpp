#include "sched/detail/cluster.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/assert.h"
#include "graph/components.h"
#include "graph/flow.h"
#include "graph/hierarchy.h"
#include "sched/detail/chain.h"
#include "sched/detail/simulate.h"

namespace strc::sched {
namespace {

using base::Diag;
using graph::Child;
using graph::CompositeId;
using graph::EdgeId;
using graph::kNone;
using graph::NodeId;

constexpr std::int64_t kMostLeaves = 1 << 20;      ///< of a loop's schedule
constexpr std::int64_t kClusterLeavesPerNode = 64;  ///< with which one stops looking for less
constexpr std::int64_t kClusterLeavesAnyway = 1000;
constexpr std::int64_t kMostRunsOfBlocks = 1 << 18;
constexpr std::int64_t kMostRunsOfNodes = 1 << 22;

/// A child of a composite.
struct Member {
    Child child;
    Block block;
};

/// A flow between members, with the edge's order of magnitude in one steady state.
using Links = std::vector<Crossing>;

class Clustering {
public:
    Clustering(base::Context& context, const graph::Graph& graph,
               const graph::Repetitions& repetitions, const std::vector<NodeId>& nodes,
               const State& state, Order order)
        : context(context),
          graph(graph),
          repetitions(repetitions),
          state(state),
          order(order),
          tree(graph),
          included(graph.nodes.size()),
          blocks(graph.composites.size()) {
        for (NodeId node : nodes) included[node] = true;
    }

    std::optional<Body> run() {
        collect();
        for (CompositeId id : tree.insideOut()) {
            blocks[id] = schedule(id);
            if (failed) return std::nullopt;
        }
        Block all = schedule(kNone);
        if (failed) return std::nullopt;
        Body body;
        appendTimes(body, std::move(all.body), all.trips);
        return body;
    }

private:
    // ---- what belongs to which composite

    void collect() {
        placeOfNode.assign(graph.nodes.size(), kNone);
        placeOfComposite.assign(graph.composites.size(), kNone);
        for (NodeId node = 0; node < graph.nodes.size(); ++node) {
            if (included[node]) children[graph.nodes[node].parent].push_back({false, node});
        }
        for (CompositeId id = 0; id < graph.composites.size(); ++id) {
            children[graph.composites[id].parent].push_back({true, id});
        }
        auto index = [&](Child child) {
            return child.isComposite ? graph.composites[child.id].index
                                     : graph.nodes[child.id].index;
        };
        for (auto& [id, list] : children) {
            std::stable_sort(list.begin(), list.end(),
                             [&](Child a, Child b) { return index(a) < index(b); });
        }
        for (EdgeId id = 0; id < graph.edges.size(); ++id) {
            if (!isStaticEdge(graph, id)) continue;
            const graph::Edge& edge = graph.edges[id];
            if (included[edge.from]) edges[tree.common(edge.from, edge.to)].push_back(id);
        }
    }

    Block schedule(CompositeId id) {
        std::vector<Member> members;
        for (Child child : children[id]) {
            std::uint32_t& place =
                child.isComposite ? placeOfComposite[child.id] : placeOfNode[child.id];
            Block block = child.isComposite
                              ? std::move(blocks[child.id])
                              : Block{{leaf(child.id, 1)}, repetitions.steady[child.id], 1, 1};
            if (block.body.empty()) continue;  // none of its nodes is included
            place = static_cast<std::uint32_t>(members.size());
            members.push_back({child, std::move(block)});
        }
        if (members.empty()) return {};
        Links links;
        for (EdgeId edge : edges[id]) {
            const graph::Flow flow = flowOf(graph, edge);
            links.push_back({place(id, flow.from), place(id, flow.to),
                             graph::multiplyCounts(repetitions.steady[flow.from], flow.push.then),
                             state.items[edge] - flow.extra()});
        }
        current = id;
        return compose(std::move(members), links);
    }

    std::uint32_t place(CompositeId id, NodeId node) const {
        const Child child = tree.childWith(id, node);
        return child.isComposite ? placeOfComposite[child.id] : placeOfNode[child.id];
    }

    // ---- blocks without cycles between them

    /// Level by level: those with equal distance from the start stand beside each other.
    Block compose(std::vector<Member> members, const Links& links) {
        std::vector<graph::Arrow> arrows;
        for (const Crossing& link : links) arrows.push_back({link.from, link.to});
        const graph::Components parts =
            graph::findComponents(static_cast<std::uint32_t>(members.size()), arrows);
        std::vector<std::uint32_t> level(parts.size());
        std::vector<std::vector<std::uint32_t>> into(parts.size());
        for (const Crossing& link : links) {
            if (parts.of[link.from] != parts.of[link.to])
                into[parts.of[link.to]].push_back(parts.of[link.from]);
        }
        std::vector<std::vector<Block>> stages;
        for (std::uint32_t p = 0; p < parts.size(); ++p) {
            for (std::uint32_t before : into[p]) level[p] = std::max(level[p], level[before] + 1);
            if (stages.size() <= level[p]) stages.resize(level[p] + 1);
            stages[level[p]].push_back(blockOf(parts, p, members, links));
            if (failed) return {};
        }
        std::vector<Crossing> crossings;
        for (Crossing link : links) {
            link.from = level[parts.of[link.from]];
            link.to = level[parts.of[link.to]];
            if (link.from != link.to) crossings.push_back(link);
        }
        std::vector<Block> row;
        for (std::vector<Block>& stage : stages) {
            row.push_back(stage.size() == 1 ? std::move(stage[0]) : besides(std::move(stage)));
        }
        return scheduleChain(std::move(row), std::move(crossings), order);
    }

    Block blockOf(const graph::Components& parts, std::uint32_t part, std::vector<Member>& members,
                  const Links& links) {
        if (!parts.loops[part]) return std::move(members[parts[part][0]].block);
        std::vector<std::uint32_t> inside(parts[part].begin(), parts[part].end());
        std::sort(inside.begin(), inside.end());
        std::map<std::uint32_t, std::uint32_t> now;
        std::vector<Member> chosen;
        for (std::uint32_t member : inside) {
            now[member] = static_cast<std::uint32_t>(chosen.size());
            chosen.push_back(std::move(members[member]));
        }
        Links kept;
        for (const Crossing& link : links) {
            if (parts.of[link.from] != part || parts.of[link.to] != part) continue;
            kept.push_back({now[link.from], now[link.to], link.items, link.slack});
        }
        return cycle(std::move(chosen), kept);
    }

    // ---- cycles

    /// Every member reaches every other one.
    Block cycle(std::vector<Member> members, const Links& links) {
        std::int64_t trips = 0;
        for (const Member& member : members) trips = std::gcd(trips, member.block.trips);
        // Links on which enough items lie for a whole iteration do not constrain the order.
        Links strict;
        std::vector<graph::Arrow> arrows;
        for (const Crossing& link : links) {
            if (link.slack >= link.items / trips) continue;
            strict.push_back(link);
            arrows.push_back({link.from, link.to});
        }
        const auto count = static_cast<std::uint32_t>(members.size());
        const bool opened =
            graph::findComponents(count, arrows).size() > 1 || (count == 1 && strict.empty());
        if (opened) return compose(std::move(members), strict);
        return takeApart(members, links, trips);
    }

    Block takeApart(const std::vector<Member>& members, const Links& links, std::int64_t trips) {
        Block best;
        best.trips = trips;
        for (const Member& member : members) best.nodes += member.block.nodes;
        --best.nodes;
        best.leaves = kMostLeaves + 1;
        const std::int64_t fine = kClusterLeavesAnyway + kClusterLeavesPerNode * best.nodes;
        std::vector<Policy> policies{Policy::DownstreamFirst, Policy::Thorough};
        if (order == Order::SingleAppearance) std::swap(policies[0], policies[1]);
        for (bool flat : {false, true}) {
            for (Policy policy : policies) {
                Body body = flat ? ofNodes(members, trips, policy)
                                 : ofBlocks(members, links, trips, policy);
                const std::int64_t size = leaves(body);
                if (body.empty() || size >= best.leaves) continue;
                best.body = std::move(body);
                best.leaves = size;
                if (size <= fine) return best;
            }
        }
        if (best.body.empty()) report();
        return best;
    }

    /// The members' blocks stay whole. Empty: they have to be taken apart, or it takes too long.
    Body ofBlocks(const std::vector<Member>& members, const Links& links, std::int64_t trips,
                  Policy policy) const {
        Network network;
        std::vector<const Body*> bodies;
        std::int64_t largest = 1;
        for (const Member& member : members) {
            const NodeId node = firstNode(member.child);
            network.actors.push_back(
                {member.block.trips / trips, 0, graph.nodes[node].order, false});
            bodies.push_back(&member.block.body);
            largest = std::max(largest, member.block.leaves);
        }
        for (const Crossing& link : links) {
            const std::int64_t made = link.items / members[link.from].block.trips;
            const std::int64_t taken = link.items / members[link.to].block.trips;
            network.channels.push_back(
                {link.from, link.to, link.slack, {0, made}, {0, taken}, {0, taken}});
        }
        const Bounds bounds{kMostRunsOfBlocks, kMostLeaves / largest + 1};
        Simulated result = simulate(std::move(network), policy, bounds.within(context.limits));
        if (result.end != Simulated::End::Done) return {};
        return substitute(result.body, bodies);
    }

    Body ofNodes(const std::vector<Member>& members, std::int64_t trips, Policy policy) const {
        std::vector<NodeId> nodes;
        for (const Member& member : members) {
            if (!member.child.isComposite) {
                nodes.push_back(member.child.id);
                continue;
            }
            for (NodeId node : tree.nodesOf(member.child.id)) {
                if (included[node]) nodes.push_back(node);
            }
        }
        std::vector<std::int64_t> quotas = repetitions.steady;
        for (NodeId node : nodes) quotas[node] /= trips;
        const Bounds bounds{kMostRunsOfNodes, kMostLeaves};
        Simulated result =
            simulate(flatten(graph, nodes, quotas, state), policy, bounds.within(context.limits));
        if (result.end != Simulated::End::Done) return {};
        rename(result.body, nodes);
        return std::move(result.body);
    }

    NodeId firstNode(Child child) const {
        if (!child.isComposite) return child.id;
        const std::vector<NodeId> inside = tree.nodesOf(child.id);
        return *std::min_element(inside.begin(), inside.end(), [&](NodeId a, NodeId b) {
            return graph.nodes[a].order < graph.nodes[b].order;
        });
    }

    void report() {
        failed = true;
        const bool named = current != kNone;
        context.diags.add(Diag::LimitExceeded,
                          named ? graph.composites[current].header : base::SourceRange{})
            << "the schedule of " + (named ? std::string(kindName(graph.composites[current].kind)) +
                                                 " '" + compositePath(graph, current) + "'"
                                           : std::string("the program"))
            << kMostLeaves;
    }

    base::Context& context;
    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    const State& state;
    Order order;
    graph::Hierarchy tree;
    std::vector<bool> included;
    std::vector<Block> blocks;  ///< of composites
    std::map<CompositeId, std::vector<Child>> children;
    std::map<CompositeId, std::vector<EdgeId>> edges;  ///< between children of the composite
    std::vector<std::uint32_t> placeOfNode, placeOfComposite;  ///< among the members
    CompositeId current = kNone;
    bool failed = false;
};

}  // namespace

std::optional<Body> clusteredSteady(base::Context& context, const graph::Graph& graph,
                                    const graph::Repetitions& repetitions,
                                    const std::vector<NodeId>& nodes, const State& state,
                                    Order order) {
    return Clustering(context, graph, repetitions, nodes, state, order).run();
}

}  // namespace strc::sched
