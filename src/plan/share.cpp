#include "plan/detail/share.h"

#include <algorithm>
#include <set>

#include "base/pass.h"
#include "ir/count_items.h"
#include "ir/scalarise.h"
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
    if (node.kernel == kNone) return true;
    const elab::Kernel& kernel = program.kernels[node.kernel];
    return kernel.builtin == types::BuiltinStream::None &&
           !(kernel.code.work && ir::hasVectors(*kernel.code.work));
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

/// Is what it gives what it got?
bool passesOn(const graph::Graph& graph, const std::vector<bool>& gone, NodeId id) {
    return isGoneOfKind(graph, gone, id, NodeKind::Duplicate) ||
           isGoneOfKind(graph, gone, id, NodeKind::Filter);
}

/// Can it be done before anything else, and do nothing but push?
bool onlyPushes(const ir::Body& body) {
    for (const ir::Block& block : body.blocks) {
        for (const ir::Instr& instr : block.instrs) {
            const bool mayTrap = instr.op == ir::Op::Div || instr.op == ir::Op::Rem;
            const bool isPure = ir::info(instr.op).effects == ir::Effects::Pure && !mayTrap;
            if (!isPure && instr.op != ir::Op::Push && instr.op != ir::Op::Load &&
                instr.op != ir::Op::Store && instr.op != ir::Op::Loop && instr.op != ir::Op::Yield)
                return false;
        }
    }
    return true;
}

/// Nodes that give some items of their own, then what they get. Those of a tape follow each other: what
/// lies before its items is the same for all readers, who begin at different places.
class Delays {
public:
    Delays(const elab::Elaboration& program, const std::vector<bool>& gone)
        : program(program), graph(program.graph), gone(gone), lags(graph.edges.size()) {}

    /// Of identities, in ascending order; those that can are taken to go.
    bool canGo(NodeId id) {
        const graph::Node& node = graph.nodes[id];
        if (gone[id] || (node.prework && !canBegin(node))) return false;
        EdgeId at = node.inputs[0];
        std::int64_t lag = 0;
        for (; graph.edges[at].from != kNone; at = graph.nodes[graph.edges[at].from].inputs[0]) {
            const NodeId from = graph.edges[at].from;
            const bool passed = passesOn(graph, gone, from) || chosen.contains(from);
            if (!passed && from > id && elab::forwardsItems(program, from)) return false;
            if (!passed) break;
            lag += ownItems(graph, from);
        }
        if (lag != lags[at]) return false;
        lags[at] += ownItems(graph, id);
        chosen.insert(id);
        return true;
    }

private:
    /// What its prework does can be done before anything else, and pushes as many items as it says.
    bool canBegin(const graph::Node& node) const {
        const ir::StreamCode& code = program.kernels[node.kernel].code;
        const graph::Rates& rates = *node.prework;
        if (rates.isDynamic() || rates.pop.max != 0 || rates.peek.max != 0) return false;
        if (!code.prework || !onlyPushes(*code.prework)) return false;
        static const ir::Module none;  // it calls nothing
        const ir::ItemCounts counts = ir::countItems(none, code, *code.prework, kMostSteps);
        return counts.pushes.isExact() && counts.pushes.max == rates.push.max;
    }

    static constexpr std::uint64_t kMostSteps = 1'000'000;
    const elab::Elaboration& program;
    const graph::Graph& graph;
    const std::vector<bool>& gone;
    std::set<NodeId> chosen;
    std::vector<std::int64_t> lags;  ///< by tape
};

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
bool Plan::dealsInputs(NodeId id) const {
    return program->graph.nodes[id].inputs.size() == 1 && inputsOf(id).size() > 1;
}
bool Plan::dealsOutputs(NodeId id) const {
    return program->graph.nodes[id].outputs.size() == 1 && outputsOf(id).size() > 1;
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
      lags(graph.edges.size()),
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
            if (!passesOn(graph, gone, from)) {
                tapes[at] = at;
                break;
            }
            at = graph.nodes[from].inputs[0];
        }
        std::int64_t lag = lagOf(at);
        for (auto passed = way.rbegin(); passed != way.rend(); ++passed) {
            if (*passed == tapes[at]) continue;
            tapes[*passed] = tapes[at];
            lag += ownItems(graph, graph.edges[*passed].from);
            lags[*passed] = lag;
            lags[tapes[at]] = std::max(lags[tapes[at]], lag);
        }
    }
}

Loop Sharing::withoutGone(const Loop& phase) const {
    Loop made;
    made.count = phase.count;
    made.node = phase.node;
    copyWithout(gone, phase.children, made.children);
    return made;
}

std::int64_t ownItems(const graph::Graph& graph, NodeId id) {
    const graph::Node& node = graph.nodes[id];
    std::int64_t items = node.prework ? node.prework->push.max : 0;
    if (node.kind == NodeKind::Filter)
        items += static_cast<std::int64_t>(graph.edges[node.outputs[0]].initial.size());
    return items;
}

Sharing findSharing(base::Context& context, const elab::Elaboration& program, bool code) {
    const graph::Graph& graph = program.graph;
    std::vector<bool> gone(graph.nodes.size());
    auto passes = [&](NodeId id) {
        return elab::isIdentity(program, id) || (code && elab::forwardsItems(program, id));
    };
    drop(context, base::Pass::RemoveIdentities, graph, gone, [&](NodeId id) {
        return passes(id) && !graph.nodes[id].prework && ownItems(graph, id) == 0;
    });
    drop(context, base::Pass::ShareDuplicates, graph, gone, [&](NodeId id) {
        return graph.nodes[id].kind == NodeKind::Duplicate && passesAll(graph, graph.nodes[id]);
    });
    drop(context, base::Pass::RemoveRoundRobins, graph, gone,
         [&](NodeId id) { return isDealt(program, gone, id); });
    Delays delays(program, gone);
    drop(context, base::Pass::RemoveDelays, graph, gone,
         [&](NodeId id) { return passes(id) && delays.canGo(id); });
    return Sharing(graph, std::move(gone));
}

}  // namespace strc::plan
