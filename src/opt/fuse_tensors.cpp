#include "opt/detail/fuse_tensors.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/pass.h"
#include "horizontal/merge.h"
#include "ir/text.h"
#include "opt/detail/body_cost.h"
#include "opt/detail/body_passes.h"
#include "opt/detail/compose.h"
#include "opt/detail/forwarded_items.h"
#include "opt/detail/layouts.h"
#include "opt/detail/padded_images.h"
#include "opt/detail/pair_products.h"
#include "opt/detail/remove_reinterpret_casts.h"
#include "opt/detail/tensor_body.h"

namespace strc::opt {
namespace {

using base::Pass;
using graph::Child;
using graph::Composite;
using graph::CompositeId;
using graph::EdgeId;
using graph::NodeId;
using graph::NodeKind;
using types::TensorFn;

/// Sums of products of a residual block, or of convolutions that pad their images.
constexpr std::size_t kMostSums = 8;
/// Scalars of a frame that are values in a body.
constexpr std::int64_t kFewScalars = 16;
/// Branches of one body that have sums of products each.
constexpr std::size_t kMostParts = 1024;
/// Children of a pipeline that parts of a tensor go through: what cuts it up, the branches, what puts it together.
constexpr std::uint32_t kPartsLength = 3;

/// Parts of pipelines that can be one filter.
class TensorFuser {
public:
    TensorFuser(const pass::Context& what, const pass::Program& whole)
        : context(what),
          types(what.types),
          program(*whole.elaboration),
          originals(program, types),
          graph(program.graph),
          repetitions(whole.repetitions),
          passes(what) {
        for (NodeId id : removableCasts(context, program)) {
            const graph::Rates& rates = graph.nodes[id].work;
            if (std::max(rates.pop.max, rates.push.max) > kFewScalars) staysOut.insert(id);
        }
    }

    std::vector<elab::Replacement> run() {
        for (CompositeId id = 0; id < graph.composites.size(); ++id) {
            const CompositeId parent = graph.composites[id].parent;
            if (parent != graph::kNone && isTaken[parent]) isTaken[id] = true;
            if (isTaken[id]) continue;
            if (graph.composites[id].kind == graph::CompositeKind::Pipeline)
                pipeline(id);
            else
                branches(id);
        }
        if (graph.composites.empty()) alone({graph::kNone, 0, 1, 0});
        propagateLayouts(context, program, repetitions, found);
        std::optional<std::vector<elab::Replacement>> filters = replacements();
        if (filters) return std::move(*filters);
        for (Fused& fused : found) fused.layouts = {};
        return replacements().value_or(std::vector<elab::Replacement>());
    }

private:
    struct Piece {
        Region region;
        Cost cost;
        std::size_t mostSums = 1;
    };

    void pipeline(CompositeId id) {
        const std::vector<Child>& children = graph.composites[id].children;
        for (std::uint32_t from = 0; from < children.size();) {
            std::optional<Piece> piece = residualAt(id, from);
            std::uint32_t to = from + 1;
            if (!piece && (piece = partsAt(id, from))) to = from + kPartsLength;
            if (!piece && (piece = droppedAt(id, from))) to = from + 2;
            if (!piece) piece = firstOf(children[from]);
            while (piece && to < children.size()) {
                const std::uint32_t more = appendAt(id, to, *piece);
                if (more == 0) break;
                to += more;
            }
            if (piece && (piece->region.nodes.size() > 1 || isOwnKernel(piece->region.nodes[0])))
                fuse({id, from, to, piece->region.nodes.front()}, piece->region);
            from = to;
        }
    }

    /// How many children have become part of it.
    std::uint32_t appendAt(CompositeId id, std::uint32_t at, Piece& piece) const {
        if (const std::optional<Piece> parts = partsAt(id, at))
            return append(piece, *parts) ? kPartsLength : 0;
        const Child child = graph.composites[id].children[at];
        const std::optional<Piece> next = pieceOf(child);
        return next && (append(piece, *next) || appendPadded(piece, *next, child)) ? 1 : 0;
    }

    void branches(CompositeId id) {
        const std::vector<Child>& children = graph.composites[id].children;
        for (std::uint32_t k = 0; k < children.size(); ++k)
            if (!children[k].isComposite) alone({id, k, k + 1, children[k].id});
    }

    /// A filter beside which there is nothing that it could become one with.
    void alone(elab::GraphRange place) {
        if (std::optional<Piece> piece = firstOf({false, place.entry}))
            if (isOwnKernel(place.entry)) fuse(place, piece->region);
    }

    /// A filter may have any number of sums of products: they are in one body as it is.
    std::optional<Piece> firstOf(Child child) const {
        if (child.isComposite) return pieceOf(child);
        std::optional<Piece> piece = pieceOf(child, kMostOperations);
        if (piece) piece->mostSums = std::max<std::size_t>(1, piece->cost.sums);
        return piece;
    }

    /// A filter whose code nobody else has: what is made of it is no second time there. What is split by hand may be.
    bool isOwnKernel(NodeId id) const {
        const graph::KernelId kernel = graph.nodes[id].kernel;
        if (graph.nodes[id].kind != NodeKind::Filter || !originals.of(kernel)) return false;
        return context.options.split ||
               std::count_if(graph.nodes.begin(), graph.nodes.end(),
                             [&](const graph::Node& node) { return node.kernel == kernel; }) == 1;
    }

    /// Two branches of one value with several sums of products, whose ends are added to each other by the next child: a
    /// shortcut around a part of a network. In one body the addition can be part of the last sum.
    std::optional<Piece> residualAt(CompositeId id, std::uint32_t at) const {
        const std::vector<Child>& children = graph.composites[id].children;
        if (!children[at].isComposite || at + 1 == children.size() || children[at + 1].isComposite)
            return std::nullopt;
        const Composite& branches = graph.composites[children[at].id];
        const bool areTwo = branches.splitter != graph::kNone && branches.children.size() == 2 &&
                            graph.nodes[branches.splitter].kind == NodeKind::Duplicate;
        if (!areTwo || !adds(children[at + 1].id)) return std::nullopt;
        std::optional<Piece> piece = pieceOf(children[at], kMostSums);
        if (!piece || piece->cost.isLittle(1)) return std::nullopt;
        base::PassRun run(context.passes(), Pass::FuseResiduals,
                          graph::compositePath(graph, children[at].id));
        if (!run) return std::nullopt;
        run.show([&] { return namesOf(piece->region); });
        piece->mostSums = piece->cost.sums;
        return piece;
    }

    /// What cuts a tensor up, branches, and what puts their results together. They stay together, or the parts would be
    /// copied, so branches may have any number of sums of products.
    std::optional<Piece> partsAt(CompositeId id, std::uint32_t at) const {
        const std::vector<Child>& children = graph.composites[id].children;
        if (at + kPartsLength > children.size() || children[at].isComposite ||
            !children[at + 1].isComposite || !isDealtOut(graph.composites[children[at + 1].id]) ||
            children[at + 2].isComposite)
            return std::nullopt;
        std::optional<Piece> parts = pieceOf(children[at], 0);
        if (!parts) return std::nullopt;
        for (std::uint32_t k = 1; k < kPartsLength; ++k) {
            const std::optional<Piece> next =
                pieceOf(children[at + k], k == 1 ? kMostOperations : 0);
            if (!next || !isBehind(*parts, *next, kMostOperations)) return std::nullopt;
            join(*parts, *next);
        }
        parts->mostSums = std::max<std::size_t>(1, parts->cost.sums);
        return parts;
    }

    /// Branches, and what leaves some of their results out: in one body these are not computed.
    std::optional<Piece> droppedAt(CompositeId id, std::uint32_t at) const {
        const std::vector<Child>& children = graph.composites[id].children;
        if (at + 2 > children.size() || !children[at].isComposite) return std::nullopt;
        const std::optional<Piece> next = pieceOf(children[at + 1], 0);
        if (!next || !dropsItems(bodyOf(*next))) return std::nullopt;
        std::optional<Piece> branches = pieceOf(children[at], kMostOperations);
        if (!branches || !isBehind(*branches, *next, kMostOperations)) return std::nullopt;
        const std::size_t sums = branches->cost.sums;
        join(*branches, *next);
        branches->cost = costOf(bodyOf(*branches));
        if (branches->cost.sums == sums) return std::nullopt;
        branches->mostSums = std::max<std::size_t>(1, branches->cost.sums);
        return branches;
    }

    /// A line.
    std::string namesOf(const Region& region) const {
        std::string names;
        for (NodeId id : region.nodes)
            if (graph.nodes[id].kind == NodeKind::Filter)
                names += (names.empty() ? "" : " ") + graph.nodes[id].name;
        return names + "\n";
    }

    bool adds(NodeId id) const {
        const graph::Node& node = graph.nodes[id];
        const elab::Kernel* kernel =
            node.kind == NodeKind::Filter ? originals.of(node.kernel) : nullptr;
        if (!kernel || !kernel->code.work || node.work.pop.max != 2) return false;
        const ir::Body& work = *kernel->code.work;
        const std::vector<ir::Instr>& instrs = work.blocks[work.entry].instrs;
        return std::any_of(instrs.begin(), instrs.end(), [](const ir::Instr& instr) {
            return instr.op == ir::Op::Tensor && instr.tensor == TensorFn::Add;
        });
    }

    /// Of a child all of which may stand in one body.
    std::optional<Piece> pieceOf(Child child, std::size_t mostSums = 1) const {
        Piece piece;
        piece.mostSums = mostSums;
        if (!collect(child, piece) || !piece.cost.isLittle(mostSums)) return std::nullopt;
        std::vector<NodeId>& nodes = piece.region.nodes;
        std::sort(nodes.begin(), nodes.end(),
                  [&](NodeId a, NodeId b) { return graph.nodes[a].order < graph.nodes[b].order; });
        const graph::Node &first = graph.nodes[nodes.front()], &last = graph.nodes[nodes.back()];
        if (first.inputs.size() != 1 || last.outputs.size() != 1) return std::nullopt;
        piece.region.input = first.inputs[0];
        piece.region.output = last.outputs[0];
        for (NodeId id : nodes)
            for (EdgeId edge : graph.nodes[id].outputs)
                if (edge != piece.region.output && !isDirect(program, edge)) return std::nullopt;
        if (!isWhole(piece.region.input, popRate(graph, piece.region.input)) ||
            !isWhole(piece.region.output, pushRate(graph, piece.region.output)))
            return std::nullopt;
        return piece;
    }

    /// The items of a firing are of the same types each time.
    bool isWhole(EdgeId id, std::int64_t items) const {
        const std::size_t period = graph.edges[id].tensors.size();
        return period < 2 || items % static_cast<std::int64_t>(period) == 0;
    }

    bool collect(Child child, Piece& piece) const {
        if (!child.isComposite) return take(child.id, piece);
        const Composite& composite = graph.composites[child.id];
        if (composite.kind == graph::CompositeKind::FeedbackLoop) return false;
        for (NodeId node : {composite.splitter, composite.joiner})
            if (node != graph::kNone && !take(node, piece)) return false;
        if (isDealtOut(composite)) return collectBranches(composite, piece);
        return std::all_of(composite.children.begin(), composite.children.end(),
                           [&](Child inner) { return collect(inner, piece); });
    }

    /// Their sums of products are beside each other. Equal branches count as one, as they may become one; whether they
    /// have is seen in the end.
    bool collectBranches(const Composite& composite, Piece& piece) const {
        const std::size_t before = piece.cost.sums;
        std::size_t most = 0;
        std::vector<graph::KernelId> first;
        for (Child branch : composite.children) {
            const std::size_t from = piece.region.nodes.size(), operations = piece.cost.operations;
            piece.cost.sums = 0;
            if (!collect(branch, piece)) return false;
            most = std::max(most, piece.cost.sums);
            const std::vector<graph::KernelId> own = kernelsOf(piece.region, from);
            if (areAlike(own, first) && context.passes().isEnabled(Pass::CoalesceParts))
                piece.cost.operations = operations;
            if (first.empty()) first = own;
        }
        piece.cost.sums = before + most;
        return piece.cost.isLittle(piece.mostSums);
    }

    std::vector<graph::KernelId> kernelsOf(const Region& region, std::size_t from) const {
        std::vector<graph::KernelId> kernels;
        for (std::size_t k = from; k < region.nodes.size(); ++k)
            kernels.push_back(graph.nodes[region.nodes[k]].kernel);
        return kernels;
    }

    bool areAlike(const std::vector<graph::KernelId>& a,
                  const std::vector<graph::KernelId>& b) const {
        return std::equal(
            a.begin(), a.end(), b.begin(), b.end(),
            [&](graph::KernelId x, graph::KernelId y) { return originals.haveSameCode(x, y); });
    }

    /// Branches that get parts of a tensor, or tensors of their own: what they do is not done one after the other to
    /// the same, so each may have a sum of products.
    bool isDealtOut(const Composite& composite) const {
        return composite.kind == graph::CompositeKind::SplitJoin &&
               composite.splitter != graph::kNone &&
               graph.nodes[composite.splitter].kind == NodeKind::RoundRobinSplitter &&
               composite.children.size() <= kMostParts;
    }

    bool take(NodeId id, Piece& piece) const {
        if (staysOut.contains(id) || !isComposable(program, originals, id)) return false;
        if (!piece.region.nodes.empty() && !firesLike(id, piece.region.nodes[0])) return false;
        const graph::Node& node = graph.nodes[id];
        piece.region.nodes.push_back(id);
        if (node.kind != NodeKind::Filter) return true;
        const elab::Kernel* kernel = originals.of(node.kernel);
        if (!kernel) return true;  // Identity
        piece.cost = piece.cost + costOf(*kernel->code.work);
        if (!piece.cost.isLittle(piece.mostSums)) return false;
        return forwardsItems(*kernel) ||
               horizontal::isSafe(context.module, program, id,
                                  context.passes().isEnabled(Pass::BoundsCheckElimination));
    }

    bool firesLike(NodeId a, NodeId b) const {
        return repetitions.steady[a] == repetitions.steady[b] &&
               repetitions.init[a] == repetitions.init[b];
    }

    bool append(Piece& piece, const Piece& next) const {
        const std::size_t mostSums = std::max(piece.mostSums, next.mostSums);
        if (!isBehind(piece, next, mostSums)) return false;
        join(piece, next);
        piece.mostSums = mostSums;
        return true;
    }

    /// One that begins with the padded image of a convolution, into whose middle the sum of products before it can write.
    bool appendPadded(Piece& piece, const Piece& next, Child child) const {
        if (!isBehind(piece, next, kMostSums) || !pushesSum(bodyOf(piece)) ||
            !padsItem(bodyOf(next)))
            return false;
        base::PassRun run(context.passes(), Pass::FusePadding,
                          child.isComposite ? graph::compositePath(graph, child.id)
                                            : graph::path(graph, child.id));
        if (!run) return false;
        run.show([&] { return namesOf(next.region); });
        join(piece, next);
        piece.mostSums = piece.cost.sums;
        return true;
    }

    bool isBehind(const Piece& piece, const Piece& next, std::size_t mostSums) const {
        return (piece.cost + next.cost).isLittle(mostSums) &&
               piece.region.output == next.region.input && isDirect(program, next.region.input) &&
               firesLike(piece.region.nodes[0], next.region.nodes[0]);
    }

    static void join(Piece& piece, const Piece& next) {
        piece.cost = piece.cost + next.cost;
        piece.region.output = next.region.output;
        piece.region.nodes.insert(piece.region.nodes.end(), next.region.nodes.begin(),
                                  next.region.nodes.end());
    }

    ir::Body bodyOf(const Piece& piece) const {
        ir::Body body = *compose(program, originals, piece.region, "").kernel.code.work;
        forwardTensors(body);
        return body;
    }

    void fuse(elab::GraphRange place, const Region& region) {
        const bool isSingle = region.nodes.size() == 1;
        Fused made;
        made.path = elab::pathOf(graph, place);
        std::optional<base::PassRun> run;
        if (!isSingle) run.emplace(context.passes(), Pass::FuseTensors, made.path);
        if (run && !*run) return;
        made.composed = compose(program, originals, region, elab::nameOf(graph, place));
        const std::size_t operations = costOf(*made.composed.kernel.code.work).operations;
        forwardTensors(*made.composed.kernel.code.work);
        const bool isShorter = costOf(*made.composed.kernel.code.work).operations < operations;
        if (run) run->show([&] { return ir::print(*made.composed.kernel.code.work); });
        const bool isBetter = passes.improve(made.composed.kernel, made.path);
        made.changes = isBetter || isShorter || !isSingle;
        made.place = place;
        if (costOf(*made.composed.kernel.code.work).operations > kMostOperations) return;
        made.region = region;
        for (Child child : elab::childrenAt(graph, place))
            if (child.isComposite) isTaken[child.id] = true;
        found.push_back(std::move(made));
    }

    /// None: one stays as it is, and its neighbours would not agree with it on a layout.
    std::optional<std::vector<elab::Replacement>> replacements() {
        std::vector<elab::Replacement> filters;
        for (Fused fused : found) {
            const Region& region = fused.region;
            elab::Kernel& kernel = fused.composed.kernel;
            bool changes = fused.changes || fused.layouts.areAny();
            const bool isMade =
                passes.expand(kernel, graph.edges[region.input], graph.edges[region.output],
                              fused.layouts, fused.path, changes);
            if (!isMade && fused.layouts.areAny()) return std::nullopt;
            if (!isMade || !changes) continue;
            elab::Replacement& made = filters.emplace_back();
            made.name = elab::nameOf(graph, fused.place);
            made.place = fused.place;
            made.work = kernel.work;
            made.state = std::move(fused.composed.state);
            made.made = std::move(kernel);
        }
        return filters;
    }

    const pass::Context& context;
    types::TypeTable& types;
    const elab::Elaboration& program;
    const OriginalKernels originals;
    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    std::set<NodeId> staysOut;  ///< frames
    std::vector<bool> isTaken = std::vector<bool>(graph.composites.size());
    BodyPasses passes;
    std::vector<Fused> found;
};

/// Each part fires as what it stands for did.
graph::Repetitions quotaOf(const graph::Repetitions& before, const elab::Replaced& replaced) {
    graph::Repetitions repetitions = before;
    const std::size_t count = replaced.program.graph.nodes.size();
    repetitions.init.resize(count);
    repetitions.steady.resize(count);
    repetitions.island.resize(count);
    for (NodeId id = 0; id < replaced.nodeOf.size(); ++id) {
        const NodeId now = replaced.nodeOf[id];
        repetitions.init[now] = before.init[id];
        repetitions.steady[now] = before.steady[id];
        repetitions.island[now] = before.island[id];
    }
    return repetitions;
}

}  // namespace

std::optional<pass::Program> fuseTensors(const pass::Context& context,
                                         const pass::Program& program) {
    const std::vector<graph::Edge>& edges = program.graph().edges;
    const bool hasTensors = std::any_of(
        edges.begin(), edges.end(), [](const graph::Edge& edge) { return !edge.tensors.empty(); });
    if (!hasTensors || !elab::mayReplace(*program.elaboration)) return std::nullopt;
    std::vector<elab::Replacement> filters = TensorFuser(context, program).run();
    const bool isSame = filters.empty();
    const std::optional<types::TensorSplit>& split = context.options.split;
    const bool pairs = split && split->dim == types::TensorSplit::kPairs;
    if (isSame && !pairs) return std::nullopt;
    elab::Replaced replaced = elab::replace(*program.elaboration, std::move(filters));
    const bool hasParts = pairs && pairProducts(replaced.program, split->places, context.types);
    if (isSame && !hasParts) return std::nullopt;
    graph::Repetitions repetitions = quotaOf(program.repetitions, replaced);
    return pass::with(program, std::move(replaced.program), std::move(repetitions));
}

}  // namespace strc::opt
