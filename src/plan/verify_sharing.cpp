#include <algorithm>

#include "plan/detail/names.h"
#include "plan/detail/share.h"
#include "plan/detail/shared_tapes.h"
#include "types/builtin_streams.h"

namespace strc::plan {

using graph::kNone;

SharedTapes::SharedTapes(const Plan& plan)
    : plan(plan),
      graph(plan.program->graph),
      gone(plan.gone.empty() ? std::vector<bool>(graph.nodes.size()) : plan.gone) {}

void SharedTapes::check(VerifyFaults& faults) const {
    if (!plan.gone.empty() && plan.gone.size() != graph.nodes.size())
        return faults.add("the plan is of another graph");
    for (NodeId id = 0; id < gone.size(); ++id)
        if (gone[id] && !passesOn(graph.nodes[id]) && !isDealt(graph.nodes[id]))
            return faults.add("'{}' does not fire", path(graph, id));
    for (const Channel& channel : plan.channels) checkChannel(channel, faults);
}

void SharedTapes::checkChannel(const Channel& channel, VerifyFaults& faults) const {
    if (channel.tape >= plan.channels.size())
        return faults.add("{} lies on no tape", edgeName(graph, channel.edge));
    const graph::Edge& edge = graph.edges[channel.edge];
    const bool isShared =
        edge.from != kNone && isGone(edge.from) && passesOn(graph.nodes[edge.from]);
    const graph::NodeKind kind = isShared ? graph.nodes[edge.from].kind : graph::NodeKind::Filter;
    if (kind != graph::NodeKind::Filter && !edge.initial.empty())
        return faults.add("{} is not what '{}' gets", edgeName(graph, channel.edge),
                          path(graph, edge.from));
    if (isShared &&
        channel.start + ownItems(edge) != plan.channels[graph.nodes[edge.from].inputs[0]].start)
        faults.add("{} begins somewhere else on its tape", edgeName(graph, channel.edge));
    const EdgeId expected =
        isShared ? plan.channels[graph.nodes[edge.from].inputs[0]].tape : channel.edge;
    if (channel.tape != expected || plan.channels[channel.tape].tape != channel.tape)
        faults.add("{} lies on another tape", edgeName(graph, channel.edge));
    if (isShared &&
        (channel.capacity != 0 || channel.offset != plan.channels[channel.tape].offset ||
         channel.itemSize != plan.channels[channel.tape].itemSize))
        faults.add("{} does not lie on its tape", edgeName(graph, channel.edge));
}

bool SharedTapes::passesOn(const graph::Node& node) const {
    if (node.kind == graph::NodeKind::Duplicate) return true;
    const bool looks = node.prework && (node.prework->pop.max != 0 || node.prework->peek.max != 0);
    return node.kind == graph::NodeKind::Filter && !looks &&
           elab::forwardsItems(*plan.program, static_cast<NodeId>(&node - graph.nodes.data()));
}

/// Items that a node that is gone gives before those it gets.
std::int64_t SharedTapes::ownItems(const graph::Edge& edge) const {
    const graph::Node& node = graph.nodes[edge.from];
    return static_cast<std::int64_t>(edge.initial.size()) +
           (node.prework ? node.prework->push.max : 0);
}

/// A joiner (or splitter) with a filter behind it (before it) for which one round is one firing.
bool SharedTapes::isDealt(const graph::Node& node) const {
    const bool joins = node.kind == graph::NodeKind::RoundRobinJoiner;
    if (!joins && node.kind != graph::NodeKind::RoundRobinSplitter) return false;
    const graph::Edge& edge = graph.edges[joins ? node.outputs[0] : node.inputs[0]];
    const NodeId id = joins ? edge.to : edge.from;
    if (!edge.initial.empty() || id == kNone || isGone(id)) return false;
    const graph::Node& filter = graph.nodes[id];
    const auto branches = static_cast<std::int64_t>(node.weights.size());
    const bool ones = node.totalWeight == branches &&
                      std::all_of(node.weights.begin(), node.weights.end(),
                                  [](std::int64_t weight) { return weight == 1; });
    if (filter.kind != graph::NodeKind::Filter || filter.prework || !ones) return false;
    if (!joins) return filter.work.push.max == branches;
    return filter.work.pop.max == branches && filter.work.peek.max == branches;
}

const std::vector<EdgeId>& SharedTapes::inputsOf(const graph::Node& node) const {
    const NodeId from = node.inputs.size() == 1 ? graph.edges[node.inputs[0]].from : kNone;
    const bool isDirect = isGoneOfKind(from, graph::NodeKind::RoundRobinJoiner);
    return isDirect ? graph.nodes[from].inputs : node.inputs;
}

const std::vector<EdgeId>& SharedTapes::outputsOf(const graph::Node& node) const {
    const NodeId to = node.outputs.size() == 1 ? graph.edges[node.outputs[0]].to : kNone;
    const bool isDirect = isGoneOfKind(to, graph::NodeKind::RoundRobinSplitter);
    return isDirect ? graph.nodes[to].outputs : node.outputs;
}

bool SharedTapes::isGoneOfKind(NodeId id, graph::NodeKind kind) const {
    return id != kNone && isGone(id) && graph.nodes[id].kind == kind;
}

}  // namespace strc::plan
