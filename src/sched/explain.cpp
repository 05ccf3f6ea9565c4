#include "sched/detail/explain.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/flow.h"

namespace strc::sched {
namespace {

using base::Diag;
using base::Diagnostic;
using graph::Child;
using graph::Composite;
using graph::CompositeId;
using graph::CompositeKind;
using graph::EdgeId;
using graph::Graph;
using graph::kNone;
using graph::NodeId;

constexpr std::size_t kMostBranches = 4;   ///< described one by one
constexpr std::size_t kMostWeights = 16;   ///< of a proposal
constexpr std::size_t kMostNames = 12;     ///< of a cycle

/// A child between its composite's splitter and joiner.
struct Branch {
    Child child;
    EdgeId in = kNone;
    EdgeId out = kNone;
    std::optional<Ratio> gain;  ///< items out for each item in
};

std::optional<Ratio> gainOf(const Graph& graph, const Proportions& proportions,
                            const Branch& branch) {
    if (branch.in == kNone || branch.out == kNone) return std::nullopt;
    const NodeId first = graph.edges[branch.in].to;
    const NodeId last = graph.edges[branch.out].from;
    if (!proportions.areJoined(first, last)) return std::nullopt;
    const auto firings = proportions.between(first, last);
    if (!firings) return std::nullopt;
    return multiply(*firings, ratio(pushRate(graph, branch.out), popRate(graph, branch.in)));
}

/// The branches from one node of a composite to another, in order of the ports of `from`.
std::vector<Branch> branchesOf(const Graph& graph, const graph::Hierarchy& tree,
                               const Proportions& proportions, CompositeId composite, NodeId from,
                               NodeId to) {
    std::vector<Branch> branches;
    if (from == kNone || to == kNone) return branches;
    auto usable = [&](EdgeId id, NodeId other) {
        return other != kNone && tree.common(from, other) == composite && !isDynamic(graph, id);
    };
    for (EdgeId in : graph.nodes[from].outputs) {
        const NodeId first = graph.edges[in].to;
        if (!usable(in, first)) continue;
        const Child child = tree.childWith(composite, first);
        for (EdgeId out : graph.nodes[to].inputs) {
            const NodeId last = graph.edges[out].from;
            if (!usable(out, last)) continue;
            const Child other = tree.childWith(composite, last);
            if (other.isComposite != child.isComposite || other.id != child.id) continue;
            Branch branch{child, in, out, {}};
            branch.gain = gainOf(graph, proportions, branch);
            if (branch.gain) branches.push_back(branch);
        }
    }
    return branches;
}

void noteBranch(Diagnostic& diagnostic, const Graph& graph, const Branch& branch) {
    diagnostic.note(Diag::BranchRates)
        << shortName(graph, branch.child) << itemCount(branch.gain->num)
        << itemCount(branch.gain->den);
}

/// Items that leave the branch for each firing of the splitter.
std::optional<Ratio> itemsPerSplit(const Graph& graph, const Branch& branch) {
    return multiply(*branch.gain, ratio(pushRate(graph, branch.in), 1));
}

/// Weights of a joiner that fit, or nothing.
std::vector<std::int64_t> fittingWeights(const Graph& graph, const std::vector<Branch>& branches) {
    std::vector<Ratio> items;
    std::int64_t scale = 1;
    for (const Branch& branch : branches) {
        auto value = itemsPerSplit(graph, branch);
        auto multiple = value ? leastCommonMultiple(scale, value->den) : std::nullopt;
        if (!multiple) return {};
        items.push_back(*value);
        scale = *multiple;
    }
    std::vector<std::int64_t> weights;
    std::int64_t common = 0;
    for (const Ratio& value : items) {
        weights.push_back(graph::multiplyCounts(value.num, scale / value.den));
        common = std::gcd(common, weights.back());
    }
    for (std::int64_t& weight : weights) weight /= common;
    const std::int64_t now = popRate(graph, branches[0].out);
    const std::int64_t factor = now % weights[0] == 0 ? now / weights[0] : 1;
    for (std::int64_t& weight : weights) weight = graph::multiplyCounts(weight, factor);
    const bool sensible = std::all_of(weights.begin(), weights.end(),
                                      [](std::int64_t weight) { return weight <= INT32_MAX; });
    return sensible ? weights : std::vector<std::int64_t>{};
}

void explainSplitjoin(Diagnostic& diagnostic, const Graph& graph,
                      const std::vector<Branch>& branches, const Branch& wrong) {
    noteBranch(diagnostic, graph, branches[0]);
    std::size_t described = 1;
    for (const Branch& branch : branches) {
        const bool other = branch.out == wrong.out || *branch.gain != *branches[0].gain;
        if (&branch == &branches[0] || !other || described == kMostBranches) continue;
        noteBranch(diagnostic, graph, branch);
        ++described;
    }
    const NodeId joiner = graph.edges[wrong.out].to;
    if (branches.size() != graph.nodes[joiner].inputs.size() || branches.size() > kMostWeights)
        return;
    const auto weights = fittingWeights(graph, branches);
    if (weights.empty()) return;
    diagnostic.note(Diag::Hint) << fmt::format("'join roundrobin({})' would balance them",
                                               fmt::join(weights, ", "));
}

/// Why in a splitjoin, or an empty text.
std::string splitjoinReason(const Graph& graph, const std::vector<Branch>& branches,
                            const Branch*& wrong, EdgeId edge) {
    auto it = std::find_if(branches.begin(), branches.end(),
                           [&](const Branch& branch) { return branch.out == edge; });
    if (it == branches.end() || it == branches.begin()) return {};
    const auto first = itemsPerSplit(graph, branches[0]);
    const auto second = itemsPerSplit(graph, *it);
    const auto times = first && second ? multiply(*second, first->inverse()) : std::nullopt;
    if (!times) return {};
    wrong = &*it;
    return fmt::format("'{}' gives {} while '{}' gives {}, but the join takes {} and {}",
                       shortName(graph, branches[0].child), itemCount(times->den),
                       shortName(graph, it->child), times->num, popRate(graph, branches[0].out),
                       popRate(graph, it->out));
}

/// Items that come back for each one that the joiner takes.
std::optional<Ratio> loopGain(const Graph& graph, const Proportions& proportions, EdgeId edge) {
    const NodeId from = graph.edges[edge].from;
    const NodeId to = graph.edges[edge].to;
    if (!proportions.areJoined(to, from)) return std::nullopt;
    const auto firings = proportions.between(to, from);
    if (!firings) return std::nullopt;
    return multiply(*firings, ratio(pushRate(graph, edge), popRate(graph, edge)));
}

/// The rate that a branch of a feedback loop would need for the loop to balance.
struct Mending {
    const Branch* branch;
    Ratio needed;
    /// The smaller the numbers, the more likely it is that they were meant.
    std::int64_t size() const { return needed.num + needed.den; }
};

std::string describe(const Graph& graph, const Mending& mending, const char* verb) {
    // As many items as the branch takes now, where that is a whole multiple.
    const std::int64_t taken = mending.branch->gain->den;
    const std::int64_t times = taken % mending.needed.den == 0 ? taken / mending.needed.den : 1;
    return fmt::format("'{}'{} {} of {}", shortName(graph, mending.branch->child), verb,
                       itemCount(graph::multiplyCounts(mending.needed.num, times)),
                       itemCount(graph::multiplyCounts(mending.needed.den, times)));
}

void explainLoop(Diagnostic& diagnostic, const Graph& graph, const std::vector<Branch>& body,
                 const std::vector<Branch>& loop, Ratio gain) {
    std::vector<Mending> mendings;
    for (const auto* branches : {&body, &loop}) {
        if (branches->empty()) continue;
        noteBranch(diagnostic, graph, branches->front());
        if (const auto needed = multiply(*branches->front().gain, gain.inverse()))
            mendings.push_back({&branches->front(), *needed});
    }
    if (mendings.empty()) return;
    std::stable_sort(mendings.begin(), mendings.end(),
                     [](const Mending& a, const Mending& b) { return a.size() < b.size(); });
    std::string hint = describe(graph, mendings[0], " would have to make");
    if (mendings.size() > 1) hint += ", or " + describe(graph, mendings[1], "");
    diagnostic.note(Diag::Hint) << hint;
}

/// An edge on which a steady state cannot leave as many items as before, and the composite that is to blame.
struct Imbalance {
    const Graph& graph;
    const graph::Hierarchy& tree;
    const Proportions& proportions;
    CompositeId id;
    EdgeId edge;
    const std::string& otherwise;  ///< the reason, if there is no better one
};

void reportInSplitjoin(base::Context& context, const Imbalance& imbalance) {
    const auto& [graph, tree, proportions, id, edge, otherwise] = imbalance;
    const Composite& composite = graph.composites[id];
    const auto branches =
        branchesOf(graph, tree, proportions, id, composite.splitter, composite.joiner);
    const Branch* wrong = nullptr;
    std::string reason = splitjoinReason(graph, branches, wrong, edge);
    Diagnostic& diagnostic =
        context.diags.add(Diag::InconsistentRates, composite.header).in(compositePath(graph, id))
        << kindName(composite.kind) << composite.name << (reason.empty() ? otherwise : reason);
    if (wrong) explainSplitjoin(diagnostic, graph, branches, *wrong);
}

void reportInLoop(base::Context& context, const Imbalance& imbalance) {
    const auto& [graph, tree, proportions, id, edge, otherwise] = imbalance;
    const Composite& composite = graph.composites[id];
    const auto gain = loopGain(graph, proportions, edge);
    const std::string reason =
        gain ? fmt::format("the loop gives back {} for each {} that the join takes",
                           itemCount(gain->num), gain->den)
             : otherwise;
    Diagnostic& diagnostic =
        context.diags.add(Diag::InconsistentRates, composite.header).in(compositePath(graph, id))
        << kindName(composite.kind) << composite.name << reason;
    if (!gain) return;
    auto between = [&](NodeId from, NodeId to) {
        return branchesOf(graph, tree, proportions, id, from, to);
    };
    explainLoop(diagnostic, graph, between(composite.joiner, composite.splitter),
                between(composite.splitter, composite.joiner), *gain);
}

std::string namesOf(const Graph& graph, const std::vector<NodeId>& nodes) {
    std::string text;
    for (std::size_t i = 0; i < nodes.size() && i < kMostNames; ++i) {
        text += fmt::format("{}'{}'", i == 0 ? "" : ", ", shortName(graph, nodes[i]));
    }
    if (nodes.size() > kMostNames) text += fmt::format(" and {} more", nodes.size() - kMostNames);
    return text;
}

/// The first filter among the nodes that wait for each other.
NodeId waitingNode(const Graph& graph, const std::vector<NodeId>& cycle) {
    auto rank = [&](NodeId id) {
        const graph::Node& node = graph.nodes[id];
        return std::make_pair(node.kind != graph::NodeKind::Filter, node.order);
    };
    return *std::min_element(cycle.begin(), cycle.end(),
                             [&](NodeId a, NodeId b) { return rank(a) < rank(b); });
}

}  // namespace

std::int64_t itemSize(const graph::Edge& edge) {
    return edge.type ? std::max<std::int64_t>(types::sizeOf(edge.type), 1) : 1;
}

void reportOverflow(base::Context& context, const Graph& graph, EdgeId id) {
    const graph::Edge& edge = graph.edges[id];
    const auto most = static_cast<std::int64_t>(context.limits.totalBytes);
    const std::int64_t size = itemSize(edge);
    auto& diag = context.diags.add(Diag::BufferOverflow, edge.range)
                 << (edge.from == kNone ? "input" : path(graph, edge.from))
                 << (edge.to == kNone ? "output" : path(graph, edge.to)) << most / size;
    diag.note(Diag::Hint) << fmt::format("tapes may take {} bytes, and an item takes {}", most,
                                         size);
}

std::string itemCount(std::int64_t count) {
    return fmt::format("{} item{}", count, count == 1 ? "" : "s");
}

void reportInconsistent(base::Context& context, const Graph& graph, const graph::Hierarchy& tree,
                        const Proportions& proportions, CompositeId id, EdgeId edge) {
    const graph::Edge& wrong = graph.edges[edge];
    const std::string plain =
        fmt::format("'{}' pushes {} a firing, '{}' pops {}", shortName(graph, wrong.from),
                    pushRate(graph, edge), shortName(graph, wrong.to), popRate(graph, edge));
    const bool hasFlow = pushRate(graph, edge) > 0 && popRate(graph, edge) > 0;
    if (id != kNone && hasFlow && graph.composites[id].kind == CompositeKind::SplitJoin) {
        return reportInSplitjoin(context, {graph, tree, proportions, id, edge, plain});
    }
    if (id != kNone && hasFlow && graph.composites[id].kind == CompositeKind::FeedbackLoop) {
        return reportInLoop(context, {graph, tree, proportions, id, edge, plain});
    }
    const base::SourceRange where = id == kNone ? wrong.range : graph.composites[id].header;
    Diagnostic& diagnostic = context.diags.add(Diag::InconsistentRates, where);
    if (id == kNone) {
        diagnostic << "stream" << shortName(graph, wrong.to) << plain;
    } else {
        diagnostic.in(compositePath(graph, id))
            << kindName(graph.composites[id].kind) << graph.composites[id].name << plain;
    }
}

void reportDeadlock(base::Context& context, const Graph& graph, CompositeId loop,
                    const graph::Deadlock& deadlock, std::int64_t enqueue) {
    std::vector<NodeId> nodes;  // downstream, as the items flow
    for (auto it = deadlock.cycle.rbegin(); it != deadlock.cycle.rend(); ++it) {
        nodes.push_back(it->to);
    }
    const NodeId waiting = waitingNode(graph, nodes);
    std::rotate(nodes.begin(), std::find(nodes.begin(), nodes.end(), waiting), nodes.end());
    const base::SourceRange where =
        loop == kNone ? graph.nodes[waiting].range : graph.composites[loop].header;
    Diagnostic& diagnostic = context.diags.add(Diag::Deadlock, where);
    if (loop == kNone) {
        diagnostic << "stream" << shortName(graph, waiting) << shortName(graph, waiting);
    } else {
        diagnostic.in(compositePath(graph, loop))
            << kindName(graph.composites[loop].kind) << graph.composites[loop].name
            << shortName(graph, waiting);
    }
    diagnostic.note(Diag::LoopPath) << namesOf(graph, nodes);
    if (enqueue > 0) {
        diagnostic.note(Diag::EnqueueMore)
            << fmt::format("{} more enqueued item{}", enqueue, enqueue == 1 ? "" : "s");
    }
}

void reportLatency(base::Context& context, const Graph& graph, const graph::Guard& guard) {
    const graph::MessageLink& link = graph.messages[guard.message()];
    context.diags.add(Diag::ImpossibleLatency, link.range)
        << path(graph, link.sender) << path(graph, link.receiver) << guard.latency();
}

}  // namespace strc::sched
