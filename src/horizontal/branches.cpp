#include "horizontal/branches.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/pass.h"
#include "base/quiet.h"
#include "elab/replace.h"
#include "elab/without.h"
#include "horizontal/detail/splitjoins.h"
#include "horizontal/merge.h"
#include "ir/calls.h"
#include "ir/scalarise.h"
#include "ir/stored_fields.h"
#include "ir/writer.h"
#include "sched/balance.h"

namespace strc::horizontal {
namespace {

using elab::Elaboration;
using elab::Kernel;
using graph::Child;
using graph::Composite;
using graph::CompositeId;
using graph::EdgeId;
using graph::Graph;
using graph::NodeId;
using graph::NodeKind;

constexpr std::int64_t kMostPermuted = 64 * 1024;  ///< bytes
constexpr int kMostMerged = 64;  ///< splitjoins of a program

/// A splitjoin of equal branches, and what its one branch does before its items are permuted back.
struct Match {
    CompositeId composite = graph::kNone;
    std::vector<NodeId> first;  ///< nodes of the first branch
    std::vector<bool> isGone, isCompositeGone;  ///< what is in the others
    std::int64_t branches = 0;
    std::int64_t takes = 0, gives = 0;  ///< items of a branch
    std::int64_t split = 0, join = 0;  ///< weights
};

/// Compares branches, and collects what is in them.
class Branches {
public:
    Branches(const pass::Context& context, const Elaboration& program)
        : context(context), program(program), graph(program.graph) {}

    bool areEqual(const Child& a, const Child& b) {
        if (a.isComposite != b.isComposite) return false;
        if (!a.isComposite) return isSame(a.id, b.id);
        const Composite &x = graph.composites[a.id], &y = graph.composites[b.id];
        composites.push_back(b.id);
        if (x.kind == graph::CompositeKind::FeedbackLoop || x.kind != y.kind ||
            x.children.size() != y.children.size() || !isSameOrNone(x.splitter, y.splitter) ||
            !isSameOrNone(x.joiner, y.joiner))
            return false;
        for (std::size_t k = 0; k < x.children.size(); ++k)
            if (!areEqual(x.children[k], y.children[k])) return false;
        return true;
    }

    std::vector<NodeId> first, other;
    std::vector<CompositeId> composites;  ///< of the other one

private:
    bool isSameOrNone(NodeId a, NodeId b) {
        if (a == graph::kNone || b == graph::kNone) return a == b;
        return isSame(a, b);
    }

    /// Without state, effects, faults and windows: then the order of the firings does not matter, nor whose items they are.
    bool isSame(NodeId a, NodeId b) {
        first.push_back(a);
        other.push_back(b);
        const graph::Node &x = graph.nodes[a], &y = graph.nodes[b];
        if (x.kind != y.kind || x.kernel != y.kernel || x.weights != y.weights || x.prework ||
            x.effects != graph::kNoEffect || y.effects != graph::kNoEffect ||
            x.inputs.size() != y.inputs.size() || x.outputs.size() != y.outputs.size() ||
            x.work != y.work || !areEmpty(x) || !areEmpty(y))
            return false;
        if (x.kind != NodeKind::Filter) return true;
        return x.inputs.size() == 1 && x.outputs.size() == 1 && x.work.peek.max <= x.work.pop.max &&
               x.work.pop.max > 0 && *program.states[a] == *program.states[b] && isStateless(a);
    }

    bool areEmpty(const graph::Node& node) const {
        auto isPlain = [this](EdgeId id) {
            const graph::Edge& edge = graph.edges[id];
            return edge.initial.empty() && edge.tensors.empty() && !edge.inFiles && !edge.isHandle;
        };
        return std::all_of(node.inputs.begin(), node.inputs.end(), isPlain) &&
               std::all_of(node.outputs.begin(), node.outputs.end(), isPlain);
    }

    bool isStateless(NodeId id) const {
        const Kernel& kernel = program.kernels[graph.nodes[id].kernel];
        if (kernel.builtin == ir::BuiltinStream::Identity) return true;
        if (kernel.builtin != ir::BuiltinStream::None || !kernel.code.work ||
            kernel.code.startsLate || kernel.blocks || ir::hasVectors(*kernel.code.work) ||
            !kernel.tensors.empty())
            return false;
        for (const ir::Body* body : ir::bodiesThatFire(context.module, kernel.code)) {
            for (const ir::Block& block : body->blocks)
                for (const ir::Instr& instr : block.instrs)
                    if (instr.op == ir::Op::Iter || instr.op == ir::Op::Call) return false;
            const std::vector<bool> written = ir::storedFields(*body, kernel.fieldTypes.size());
            if (std::any_of(written.begin(), written.end(), [](bool is) { return is; }))
                return false;
        }
        return isSafe(context.module, program, id,
                      context.passes().isEnabled(base::Pass::BoundsCheckElimination));
    }

    const pass::Context& context;
    const Elaboration& program;
    const Graph& graph;
};

class BranchMerger {
public:
    BranchMerger(const pass::Context& context, const pass::Program& program)
        : context(context), program(*program.elaboration), repetitions(program.repetitions) {}

    /// The first splitjoin from outside that can be merged, merged.
    std::optional<pass::Program> mergeOne(const pass::Program& before, std::size_t& from) {
        for (; from < program.graph.composites.size(); ++from) {
            const auto id = static_cast<CompositeId>(from);
            const std::optional<Match> match = matchOf(id);
            if (!match) continue;
            base::PassRun run(context.passes(), base::Pass::MergeBranches,
                              graph::compositePath(program.graph, id));
            if (!run) continue;
            std::optional<pass::Program> made = merged(before, *match);
            if (!made) continue;
            run.show([&] { return std::to_string(match->branches) + " branches as one\n"; });
            return made;
        }
        return std::nullopt;
    }

private:
    // ---- which

    std::optional<Match> matchOf(CompositeId id) const {
        const Graph& graph = program.graph;
        const Composite& composite = graph.composites[id];
        const std::size_t count = composite.children.size();
        if (composite.kind != graph::CompositeKind::SplitJoin || count < 2 ||
            isInFeedbackLoop(graph, id) || composite.splitter == graph::kNone ||
            composite.joiner == graph::kNone)
            return std::nullopt;
        const graph::Node &split = graph.nodes[composite.splitter],
                          &join = graph.nodes[composite.joiner];
        if (split.kind != NodeKind::RoundRobinSplitter || split.inputs.size() != 1 ||
            join.outputs.size() != 1 || split.outputs.size() != count ||
            join.inputs.size() != count || !isUniform(split.weights) || !isUniform(join.weights))
            return std::nullopt;
        Match match;
        match.composite = id;
        match.branches = static_cast<std::int64_t>(count);
        match.split = split.weights[0];
        match.join = join.weights[0];
        if (!compare(composite, match) || !findItems(split, join, match)) return std::nullopt;
        return match;
    }

    /// Single filters are what `horizontal-fusion` and `vectorise-splitjoins` are for.
    bool compare(const Composite& composite, Match& match) const {
        match.isGone.assign(program.graph.nodes.size(), false);
        match.isCompositeGone.assign(program.graph.composites.size(), false);
        for (std::size_t k = 1; k < composite.children.size(); ++k) {
            Branches branches(context, program);
            if (!branches.areEqual(composite.children[0], composite.children[k])) return false;
            match.first = branches.first;
            for (NodeId node : branches.other) match.isGone[node] = true;
            for (CompositeId each : branches.composites) match.isCompositeGone[each] = true;
        }
        return match.first.size() > 1;
    }

    /// As few iterations of a branch as make whole turns of the splitter and of the joiner.
    bool findItems(const graph::Node& split, const graph::Node& join, Match& match) const {
        std::int64_t iterations = 0;
        for (NodeId node : match.first) iterations = std::gcd(iterations, repetitions.steady[node]);
        if (iterations == 0) return false;
        const NodeId splitter = program.graph.composites[match.composite].splitter,
                     joiner = program.graph.composites[match.composite].joiner;
        const std::int64_t in = repetitions.steady[splitter] * split.weights[0] / iterations,
                           out = repetitions.steady[joiner] * join.weights[0] / iterations;
        const std::int64_t turns = std::lcm(match.split / std::gcd(match.split, in),
                                            match.join / std::gcd(match.join, out));
        match.takes = turns * in;
        match.gives = turns * out;
        const auto size = types::sizeOf(program.graph.edges[split.inputs[0]].type);
        const auto bytes = std::max(match.takes, match.gives) * match.branches * size;
        const bool areAll = std::all_of(match.first.begin(), match.first.end(),
                                        [&](NodeId node) { return repetitions.init[node] == 0; });
        return areAll && iterations % turns == 0 && bytes <= kMostPermuted;
    }

    // ---- merging

    std::optional<pass::Program> merged(const pass::Program& before, const Match& match) const {
        Elaboration made = program;
        if (made.origin.empty()) {
            made.origin.resize(made.graph.nodes.size());
            std::iota(made.origin.begin(), made.origin.end(), 0);
        }
        elab::Unwanted unwanted{match.isGone, std::vector<bool>(made.graph.edges.size()),
                                match.isCompositeGone};
        Graph& graph = made.graph;
        for (EdgeId id = 0; id < graph.edges.size(); ++id)
            unwanted.edges[id] =
                isGone(match, graph.edges[id].from) || isGone(match, graph.edges[id].to);
        Composite& composite = graph.composites[match.composite];
        const NodeId splitter = composite.splitter, joiner = composite.joiner;
        std::vector<Child> children{composite.children[0]};
        for (NodeId node : match.first) made.origin[node] = graph::kNone;
        if (permutes(made, splitter, match, true, unwanted))
            children.insert(children.begin(), {false, splitter});
        if (permutes(made, joiner, match, false, unwanted)) children.push_back({false, joiner});
        composite.kind = graph::CompositeKind::Pipeline;
        composite.splitter = composite.joiner = graph::kNone;
        composite.children = std::move(children);
        elab::Without result = elab::without(std::move(made), unwanted);
        return balanced(before, match, std::move(result));
    }

    static bool isGone(const Match& match, NodeId node) {
        return node != graph::kNone && match.isGone[node];
    }

    /// Makes a filter of a splitter or joiner, or takes it out where nothing has to be permuted.
    bool permutes(Elaboration& made, NodeId id, const Match& match, bool splits,
                  elab::Unwanted& unwanted) const {
        Graph& graph = made.graph;
        graph::Node& node = graph.nodes[id];
        const EdgeId branch = splits ? node.outputs[0] : node.inputs[0];
        const std::int64_t items = splits ? match.takes : match.gives,
                           weight = splits ? match.split : match.join;
        made.origin[id] = graph::kNone;
        if (items == weight) {
            const EdgeId outside = splits ? node.inputs[0] : node.outputs[0];
            graph::Edge &kept = graph.edges[outside], &dropped = graph.edges[branch];
            if (splits) {
                kept.to = dropped.to;
                kept.toPort = dropped.toPort;
                graph.nodes[kept.to].inputs[kept.toPort] = outside;
            } else {
                kept.from = dropped.from;
                kept.fromPort = dropped.fromPort;
                graph.nodes[kept.from].outputs[kept.fromPort] = outside;
            }
            unwanted.nodes[id] = unwanted.edges[branch] = true;
            return false;
        }
        // Forth: of each branch its pieces behind each other; back: pieces of all branches in turn.
        const std::int64_t pieces = items / weight;
        Kernel kernel =
            permutation(graph.edges[branch].type, node.range, splits ? pieces : match.branches,
                        splits ? match.branches : pieces, weight);
        node.kind = NodeKind::Filter;
        node.weights.clear();
        node.totalWeight = 0;
        (splits ? node.outputs : node.inputs) = {branch};
        node.work = kernel.work;
        node.kernel = static_cast<graph::KernelId>(made.kernels.size());
        node.name = kernel.code.name;
        node.parent = match.composite;
        made.kernels.push_back(std::move(kernel));
        made.states[id] = std::make_shared<const std::string>();
        return true;
    }

    /// Transposes an array [outer][inner][weight] of items to [inner][outer][weight].
    Kernel permutation(const types::Type* type, base::SourceRange range, std::int64_t outer,
                       std::int64_t inner, std::int64_t weight) const {
        Kernel kernel;
        kernel.input = kernel.output = kernel.code.input = kernel.code.output = type;
        const std::int64_t items = outer * inner * weight;
        kernel.work = {graph::fixedRate(items), graph::fixedRate(items), graph::fixedRate(items)};
        kernel.code.name = "Permute";
        kernel.code.range = kernel.code.header = range;
        kernel.code.setup.blocks.emplace_back();
        ir::Writer w(context.types);
        w.body.kind = ir::BodyKind::Work;
        w.body.name = "work";
        w.body.range = w.body.header = w.range = range;
        const types::Type* integer = context.types.intType();
        auto sum = [&](ir::Reg a, std::int64_t times, ir::Reg b) {
            return w.operation(ir::Op::Add, integer,
                               {w.operation(ir::Op::Mul, integer, {a, w.integer(times)}), b});
        };
        w.loop(inner, [&](ir::Reg i) {
            w.loop(outer, [&](ir::Reg o) {
                w.loop(weight, [&](ir::Reg k) {
                    const ir::Reg index = sum(sum(o, inner, i), weight, k);
                    ir::Instr& peek = w.emit(ir::Op::Peek, type, {index});
                    peek.checked = false;
                    const ir::Reg item = w.result(type, false);
                    w.emit(ir::Op::Push, type, {item});
                });
            });
        });
        w.loop(items, [&](ir::Reg) { w.emit(ir::Op::Discard, type, {}); });
        kernel.code.work = std::move(w.body);
        return kernel;
    }

    /// Those that stay fire as before, and the one branch as often as all of them.
    std::optional<pass::Program> balanced(const pass::Program& before, const Match& match,
                                          elab::Without result) const {
        const base::Quiet quiet(context.base.diags);
        auto made = sched::balance(context.base, result.program.graph);
        if (!made) return std::nullopt;
        const std::int64_t wanted = repetitions.steady[match.first[0]] * match.branches;
        const std::int64_t least = made->steady[result.nodeOf[match.first[0]]];
        if (least == 0 || wanted % least != 0) return std::nullopt;
        for (std::int64_t& firings : made->steady) firings *= wanted / least;
        for (NodeId id = 0; id < result.nodeOf.size(); ++id) {
            const NodeId now = result.nodeOf[id];
            if (now == graph::kNone || result.program.origin[now] == graph::kNone) continue;
            if (repetitions.init[id] != made->init[now] ||
                repetitions.steady[id] != made->steady[now])
                return std::nullopt;
        }
        return pass::with(before, std::move(result.program), std::move(*made));
    }

    const pass::Context& context;
    const Elaboration& program;
    const graph::Repetitions& repetitions;
};

}  // namespace

std::optional<pass::Program> mergeBranches(const pass::Context& context,
                                           const pass::Program& program) {
    if (!context.passes().isEnabled(base::Pass::MergeBranches) ||
        !elab::mayReplace(*program.elaboration))
        return std::nullopt;
    std::optional<pass::Program> made;
    std::size_t from = 0;
    for (int count = 0; count < kMostMerged; ++count) {
        const pass::Program& current = made ? *made : program;
        std::optional<pass::Program> next = BranchMerger(context, current).mergeOne(current, from);
        if (!next) break;
        made = std::move(next);
    }
    return made;
}

}  // namespace strc::horizontal
