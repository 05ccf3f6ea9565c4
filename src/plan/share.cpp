#include "plan/share.h"

#include <algorithm>

#include "base/pass.h"
#include "types/builtin_streams.h"

namespace strc::plan {
namespace {

using graph::kNone;
using sched::Loop;

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
        if (wanted(id) && passesAll(graph, graph.nodes[id])) found.push_back(id);
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

}  // namespace

Sharing::Sharing(const graph::Graph& graph)
    : Sharing(graph, std::vector<bool>(graph.nodes.size())) {}

Sharing::Sharing(const graph::Graph& graph, std::vector<bool> without)
    : gone(std::move(without)), tapes(graph.edges.size(), kNone), start(graph.edges.size() + 1) {
    findTapes(graph);
    for (const graph::Edge& edge : graph.edges) read.push_back(edge.to == kNone || !gone[edge.to]);
    for (EdgeId id = 0; id < tapes.size(); ++id)
        if (read[id]) ++start[tapes[id] + 1];
    for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
    readers.resize(start.back());
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (EdgeId id = 0; id < tapes.size(); ++id)
        if (read[id]) readers[next[tapes[id]]++] = id;
}

/// A feedback loop has a joiner, which is never gone: every way up ends.
void Sharing::findTapes(const graph::Graph& graph) {
    std::vector<EdgeId> way;
    for (EdgeId id = 0; id < tapes.size(); ++id) {
        EdgeId at = id;
        way.clear();
        while (tapes[at] == kNone) {
            way.push_back(at);
            const NodeId from = graph.edges[at].from;
            if (from == kNone || !gone[from]) {
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
    if (node.kind != graph::NodeKind::Filter || node.kernel == kNone) return false;
    const types::BuiltinStream builtin = program.kernels[node.kernel].builtin;
    return builtin != types::BuiltinStream::None &&
           types::info(builtin).role == types::BuiltinRole::Identity;
}

Sharing findSharing(base::Context& context, const elab::Elaboration& program) {
    const graph::Graph& graph = program.graph;
    std::vector<bool> gone(graph.nodes.size());
    drop(context, base::Pass::RemoveIdentities, graph, gone,
         [&](NodeId id) { return isIdentity(program, id); });
    drop(context, base::Pass::ShareDuplicates, graph, gone,
         [&](NodeId id) { return graph.nodes[id].kind == graph::NodeKind::Duplicate; });
    return Sharing(graph, std::move(gone));
}

}  // namespace strc::plan
