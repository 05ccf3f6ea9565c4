#include "plan/share.h"

#include <algorithm>

#include "base/pass.h"
#include "types/builtin_streams.h"

namespace strc::plan {
namespace {

using graph::kNone;
using graph::NodeKind;
using sched::Loop;

constexpr std::size_t kMostBranches = 32;  ///< pointers that a firing gets

/// Nothing waits behind it at the start that did not come through it.
bool passesAll(const graph::Graph& graph, const graph::Node& node) {
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](EdgeId id) { return graph.edges[id].initial.empty(); });
}

template <typename Wanted>
void drop(base::Context& context, base::Pass pass, const graph::Graph& graph,
          std::vector<bool>& gone, Wanted wanted) {
    std::vector<NodeId> found;
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
        if (wanted(id)) found.push_back(id);
    if (found.empty()) return;
    const base::PassRun run(context.passes, pass, "the graph");
    if (!run) return;
    for (NodeId id : found) gone[id] = true;
}

void copyWithout(const std::vector<bool>& gone, const std::vector<Loop>& from,
                 std::vector<Loop>& to) {
    for (const Loop& loop : from) {
        if (loop.isLeaf()) {
            if (!gone[loop.node]) to.push_back(loop);
            continue;
        }
        Loop made;
        made.count = loop.count;
        copyWithout(gone, loop.children, made.children);
        if (!made.children.empty()) to.push_back(std::move(made));
    }
}

/// Takes and gives items one by one, by counts that never differ.
bool isPlainFilter(const elab::Elaboration& program, NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    if (node.kind != NodeKind::Filter || node.prework || node.work.isDynamic()) return false;
    return node.kernel == kNone ||
           program.kernels[node.kernel].builtin == types::BuiltinStream::None;
}

/// Weights of 1, and on the other side a filter for which one round is one firing.
bool isDealt(const elab::Elaboration& program, const std::vector<bool>& gone, NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    const bool joins = node.kind == NodeKind::RoundRobinJoiner;
    if (!joins && node.kind != NodeKind::RoundRobinSplitter) return false;
    const auto branches = static_cast<std::int64_t>(node.weights.size());
    if (branches < 2 || node.weights.size() > kMostBranches) return false;
    for (std::int64_t weight : node.weights)
        if (weight != 1) return false;
    const graph::Edge& edge = program.graph.edges[joins ? node.outputs[0] : node.inputs[0]];
    const NodeId filter = joins ? edge.to : edge.from;
    if (!edge.initial.empty() || filter == kNone || gone[filter] || !isPlainFilter(program, filter))
        return false;
    const graph::Rates& rates = program.graph.nodes[filter].work;
    return joins ? rates.pop.max == branches && rates.peek.max == branches
                 : rates.push.max == branches;
}

bool isGoneOfKind(const graph::Graph& graph, const std::vector<bool>& gone, NodeId id,
                  NodeKind kind) {
    return id != kNone && !gone.empty() && gone[id] && graph.nodes[id].kind == kind;
}

const std::vector<EdgeId>& inputsWithout(const graph::Graph& graph, const std::vector<bool>& gone,
                                         NodeId id) {
    const std::vector<EdgeId>& own = graph.nodes[id].inputs;
    if (own.size() != 1) return own;
    const NodeId from = graph.edges[own[0]].from;
    const bool isDirect = isGoneOfKind(graph, gone, from, NodeKind::RoundRobinJoiner);
    return isDirect ? graph.nodes[from].inputs : own;
}

const std::vector<EdgeId>& outputsWithout(const graph::Graph& graph, const std::vector<bool>& gone,
                                          NodeId id) {
    const std::vector<EdgeId>& own = graph.nodes[id].outputs;
    if (own.size() != 1) return own;
    const NodeId to = graph.edges[own[0]].to;
    const bool isDirect = isGoneOfKind(graph, gone, to, NodeKind::RoundRobinSplitter);
    return isDirect ? graph.nodes[to].outputs : own;
}

}  // namespace

const std::vector<EdgeId>& Plan::inputsOf(NodeId id) const {
    return inputsWithout(program->graph, gone, id);
}
const std::vector<EdgeId>& Plan::outputsOf(NodeId id) const {
    return outputsWithout(program->graph, gone, id);
}
const std::vector<EdgeId>& Sharing::inputsOf(NodeId id) const {
    return inputsWithout(graph, gone, id);
}
const std::vector<EdgeId>& Sharing::outputsOf(NodeId id) const {
    return outputsWithout(graph, gone, id);
}

Sharing::Sharing(const graph::Graph& graph)
    : Sharing(graph, std::vector<bool>(graph.nodes.size())) {}

Sharing::Sharing(const graph::Graph& program, std::vector<bool> without)
    : graph(program),
      gone(std::move(without)),
      tapes(graph.edges.size(), kNone),
      start(graph.edges.size() + 1) {
    findTapes();
    for (const graph::Edge& edge : graph.edges) read.push_back(hasReader(edge));
    for (EdgeId id = 0; id < tapes.size(); ++id)
        if (read[id]) ++start[tapes[id] + 1];
    for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
    readers.resize(start.back());
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (EdgeId id = 0; id < tapes.size(); ++id)
        if (read[id]) readers[next[tapes[id]]++] = id;
}

/// Behind a joiner that is gone nothing passes; the branches before it do have a reader.
bool Sharing::hasReader(const graph::Edge& edge) const {
    if (isGoneOfKind(graph, gone, edge.from, NodeKind::RoundRobinJoiner)) return false;
    return edge.to == kNone || !gone[edge.to] ||
           graph.nodes[edge.to].kind == NodeKind::RoundRobinJoiner;
}

/// A feedback loop has a joiner, where every way up ends.
void Sharing::findTapes() {
    std::vector<EdgeId> way;
    for (EdgeId id = 0; id < tapes.size(); ++id) {
        EdgeId at = id;
        way.clear();
        while (tapes[at] == kNone) {
            way.push_back(at);
            const NodeId from = graph.edges[at].from;
            if (!isGoneOfKind(graph, gone, from, NodeKind::Duplicate) &&
                !isGoneOfKind(graph, gone, from, NodeKind::Filter)) {
                tapes[at] = at;
                break;
            }
            at = graph.nodes[from].inputs[0];
        }
        for (EdgeId passed : way) tapes[passed] = tapes[at];
    }
}

Loop Sharing::withoutGone(const Loop& phase) const {
    Loop made;
    made.count = phase.count;
    made.node = phase.node;
    copyWithout(gone, phase.children, made.children);
    return made;
}

bool isIdentity(const elab::Elaboration& program, NodeId id) {
    const graph::Node& node = program.graph.nodes[id];
    if (node.kind != NodeKind::Filter || node.kernel == kNone) return false;
    const types::BuiltinStream builtin = program.kernels[node.kernel].builtin;
    return builtin != types::BuiltinStream::None &&
           types::info(builtin).role == types::BuiltinRole::Identity;
}

Sharing findSharing(base::Context& context, const elab::Elaboration& program) {
    const graph::Graph& graph = program.graph;
    std::vector<bool> gone(graph.nodes.size());
    drop(context, base::Pass::RemoveIdentities, graph, gone,
         [&](NodeId id) { return isIdentity(program, id) && passesAll(graph, graph.nodes[id]); });
    drop(context, base::Pass::ShareDuplicates, graph, gone, [&](NodeId id) {
        return graph.nodes[id].kind == NodeKind::Duplicate && passesAll(graph, graph.nodes[id]);
    });
    drop(context, base::Pass::RemoveRoundRobins, graph, gone,
         [&](NodeId id) { return isDealt(program, gone, id); });
    return Sharing(graph, std::move(gone));
}

}  // namespace strc::plan
