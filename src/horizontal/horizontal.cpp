#include "horizontal/horizontal.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/pass.h"
#include "base/quiet.h"
#include "elab/replace.h"
#include "horizontal/detail/splitjoins.h"
#include "horizontal/merge.h"
#include "ir/stored_fields.h"
#include "ir/text.h"
#include "sched/balance.h"

namespace strc::horizontal {
namespace {

using base::Pass;
using elab::Kernel;
using graph::Composite;
using graph::CompositeId;
using graph::NodeId;
using graph::NodeKind;

constexpr std::size_t kFewest = 4;  ///< lanes that are worth it, of filters with state
constexpr std::size_t kFewestWithout =
    8;  ///< of others, which can do several firings at once as well
constexpr std::size_t kMost = 1024;
/// In graphs with more of them the code that comes of all is what takes long to compile.
constexpr std::size_t kMostFamilies = 32;

/// A splitjoin of filters that might be one.
struct Family {
    elab::GraphRange place;
    std::vector<NodeId> nodes;
    bool isShared = false;  ///< the splitter duplicates
    std::int64_t in = 1, out = 1;  ///< weights
};

/// The families of a program and what becomes of them.
class HorizontalFuser {
public:
    HorizontalFuser(const pass::Context& what, const pass::Program& whole)
        : context(what),
          program(*whole.elaboration),
          graph(whole.graph()),
          repetitions(whole.repetitions),
          mayProve(what.passes().isEnabled(Pass::BoundsCheckElimination)) {}

    void mergeAll() {
        forFamilies([this](const Family& family, const std::string& path) { asOne(family, path); });
    }
    void putAllInLanes() {
        forFamilies(
            [this](const Family& family, const std::string& path) { inLanes(family, path); });
    }

    /// The program with what was found.
    std::optional<pass::Program> take(const pass::Program& before) {
        if (found.empty() || found.size() > kMostFamilies) return std::nullopt;
        const NodeId entry = found[0].place.entry;
        elab::Replaced replaced = elab::replace(program, std::move(found));
        const base::Quiet quiet(context.base.diags);
        auto balanced = sched::balance(context.base, replaced.program.graph);
        if (!balanced) return std::nullopt;
        // With fewer nodes less may be balanced already; a steady state stays what it was.
        const std::int64_t wanted = steady.at(entry);
        const std::int64_t least = balanced->steady[replaced.nodeOf[entry]];
        if (least == 0 || wanted % least != 0) return std::nullopt;
        for (std::int64_t& firings : balanced->steady) firings *= wanted / least;
        if (!elab::firesAsBefore(repetitions, *balanced, replaced.nodeOf)) return std::nullopt;
        return pass::with(before, std::move(replaced.program), std::move(*balanced));
    }

private:
    template <typename Use>
    void forFamilies(Use use) {
        for (CompositeId id = 0; id < graph.composites.size(); ++id)
            if (const std::optional<Family> family = familyOf(id))
                use(*family, elab::pathOf(graph, family->place));
    }

    const Kernel& kernelOf(NodeId id) const { return program.kernels[graph.nodes[id].kernel]; }

    std::optional<Family> familyOf(CompositeId id) const {
        const Composite& composite = graph.composites[id];
        if (composite.kind != graph::CompositeKind::SplitJoin || isInFeedbackLoop(graph, id) ||
            composite.splitter == graph::kNone || composite.joiner == graph::kNone)
            return std::nullopt;
        const graph::Node& split = graph.nodes[composite.splitter];
        const graph::Node& join = graph.nodes[composite.joiner];
        const std::size_t count = composite.children.size();
        Family family;
        family.isShared = split.kind == NodeKind::Duplicate;
        if (count < 2 || count > kMost || split.inputs.empty() || join.outputs.empty() ||
            split.outputs.size() != count || join.inputs.size() != count ||
            !isUniform(join.weights) || (!family.isShared && !isUniform(split.weights)))
            return std::nullopt;
        if (!family.isShared) family.in = split.weights[0];
        family.out = join.weights[0];
        for (const graph::Child& child : composite.children) {
            if (child.isComposite || !isPlain(child.id)) return std::nullopt;
            family.nodes.push_back(child.id);
        }
        family.place = {composite.parent, composite.index, composite.index + 1, composite.splitter};
        return family;
    }

    bool isPlain(NodeId id) const {
        const graph::Node& node = graph.nodes[id];
        if (node.kind != NodeKind::Filter || node.prework || node.effects != graph::kNoEffect ||
            node.inputs.size() != 1 || node.outputs.size() != 1)
            return false;
        const Kernel& kernel = kernelOf(id);
        return kernel.builtin == ir::BuiltinStream::None && kernel.code.work &&
               !kernel.code.startsLate && !kernel.blocks && kernel.input->isScalar() &&
               kernel.output->isScalar() && kernel.tensors.empty();
    }

    // ---- horizontal-fusion

    /// No filter can tell its firings from another's.
    bool areAlike(const Family& family) const {
        const NodeId first = family.nodes[0];
        for (NodeId id : family.nodes)
            if (graph.nodes[id].kernel != graph.nodes[first].kernel ||
                *program.states[id] != *program.states[first])
                return false;
        const ir::Body& work = *kernelOf(first).code.work;
        for (const ir::Block& block : work.blocks)
            for (const ir::Instr& i : block.instrs)
                if (i.op == ir::Op::Iter || i.op == ir::Op::Call) return false;
        const std::vector<bool> written = ir::storedFields(work, kernelOf(first).fieldTypes.size());
        return std::none_of(written.begin(), written.end(), [](bool is) { return is; });
    }

    void asOne(const Family& family, const std::string& path) {
        const NodeId first = family.nodes[0];
        const graph::Rates& rates = kernelOf(first).work;
        const std::int64_t pop = rates.pop.max, push = rates.push.max;
        if (family.isShared || pop == 0 || rates.peek.max > pop || family.in % pop != 0 ||
            family.in / pop * push != family.out || !areAlike(family) ||
            !isSafe(context.module, program, first, mayProve))
            return;
        base::PassRun run(context.passes(), Pass::HorizontalFusion, path);
        if (!run) return;
        elab::Replacement made;
        made.place = family.place;
        made.name = elab::nameOf(graph, family.place);
        made.kernel = graph.nodes[first].kernel;
        made.work = rates;
        made.state = program.states[first];
        steady[family.place.entry] =
            repetitions.steady[first] * static_cast<std::int64_t>(family.nodes.size());
        found.push_back(std::move(made));
        run.show([&] { return std::to_string(family.nodes.size()) + " filters as one\n"; });
    }

    // ---- vectorise-splitjoins

    void inLanes(const Family& family, const std::string& path) {
        if (family.nodes.size() < kFewest) return;
        const graph::Rates& rates = kernelOf(family.nodes[0]).work;
        if (family.in != 1 || family.out != 1 || rates.pop.max == 0 || rates.push.max == 0) return;
        for (NodeId id : family.nodes)
            if (kernelOf(id).work != rates ||
                kernelOf(id).input != kernelOf(family.nodes[0]).input ||
                kernelOf(id).output != kernelOf(family.nodes[0]).output)
                return;
        Merged merged = merge(context.types, context.module, program, family.nodes,
                              {.isShared = family.isShared, .mayProve = mayProve});
        if (merged.whyNot.empty() && !merged.hasState) merged.whyNot = whyNotWithout(family, rates);
        if (!merged.whyNot.empty()) {
            context.passes().show(Pass::VectoriseSplitjoins, path,
                                  [&] { return "not in lanes: " + merged.whyNot; });
            return;
        }
        base::PassRun run(context.passes(), Pass::VectoriseSplitjoins, path);
        if (!run) return;
        elab::Replacement made;
        made.place = family.place;
        made.name = elab::nameOf(graph, family.place);
        made.work = merged.kernel.work;
        made.state = std::move(merged.state);
        run.show([&] { return ir::print(*merged.kernel.code.work); });
        made.made = std::move(merged.kernel);
        steady[family.place.entry] = repetitions.steady[family.nodes[0]];
        found.push_back(std::move(made));
    }

    /// Without state several firings at once do as well, unless the items of one lie apart.
    static std::string whyNotWithout(const Family& family, const graph::Rates& rates) {
        if (family.isShared || rates.pop.max == 1 || family.nodes.size() < kFewestWithout)
            return "they have no state";
        return {};
    }

    const pass::Context& context;
    const elab::Elaboration& program;
    const graph::Graph& graph;
    const graph::Repetitions& repetitions;
    const bool mayProve;
    std::vector<elab::Replacement> found;
    std::map<NodeId, std::int64_t> steady;  ///< by splitter
};

}  // namespace

std::optional<pass::Program> mergeSiblings(const pass::Context& context,
                                           const pass::Program& program) {
    if (!elab::mayReplace(*program.elaboration)) return std::nullopt;
    HorizontalFuser search(context, program);
    search.mergeAll();
    return search.take(program);
}

std::optional<pass::Program> putInLanes(const pass::Context& context,
                                        const pass::Program& program) {
    if (!elab::mayReplace(*program.elaboration)) return std::nullopt;
    HorizontalFuser search(context, program);
    search.putAllInLanes();
    return search.take(program);
}

}  // namespace strc::horizontal
