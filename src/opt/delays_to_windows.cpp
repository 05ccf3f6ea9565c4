#include "opt/detail/delays_to_windows.h"

#include <cstring>
#include <map>

#include "base/pass.h"
#include "elab/replace.h"
#include "graph/graph.h"
#include "ir/calls.h"
#include "opt/detail/delays.h"

namespace strc::opt {
namespace {

using elab::Elaboration;
using graph::NodeId;
using types::Value;

/// What the tape begins with, from the fields of the instance. Fields that are the same item have to agree.
std::optional<std::vector<Value>> beginningOf(const Elaboration& program, NodeId id,
                                              const Delays& delays) {
    const elab::Kernel& kernel = program.kernels[program.graph.nodes[id].kernel];
    const auto count = static_cast<std::size_t>(delays.depth);
    std::vector<Value> items(count, Value::zero(kernel.input));
    std::vector<bool> isGiven(count);
    const auto size = static_cast<std::size_t>(types::sizeOf(kernel.input));
    for (const auto& [field, place] : delays.places) {
        if (place >= 0) return std::nullopt;  // it is known before it comes
        const auto at = static_cast<std::size_t>(delays.depth + place);
        std::string bytes(program.states[id]->data() + kernel.fieldOffsets[field], size);
        if (isGiven[at] && items[at].bytes != bytes) return std::nullopt;
        items[at].bytes = std::move(bytes);
        isGiven[at] = true;
    }
    return items;
}

/// Is it known where its items come from, with none of them there before?
bool canBeginEarlier(const graph::Graph& graph, const graph::Node& node) {
    if (node.kind != graph::NodeKind::Filter || node.inputs.size() != 1) return false;
    const graph::Edge& edge = graph.edges[node.inputs[0]];
    return edge.initial.empty() && edge.tensors.empty() && !edge.inFiles;
}

/// Items that a firing pops, if they come one by one, and if they come from such a filter.
constexpr std::int64_t kMostAlone = 1, kMostBehind = 4;

class Conversion {
public:
    Conversion(const pass::Context& context, const pass::Program& program)
        : context(context), program(program), made(*program.elaboration) {}

    std::optional<pass::Program> run() {
        for (NodeId id = 0; id < made.graph.nodes.size(); ++id) node(id);
        if (!changes) return std::nullopt;
        return pass::with(program, std::move(made), program.repetitions);
    }

private:
    void node(NodeId id) {
        graph::Node& node = made.graph.nodes[id];
        if (!canBeginEarlier(made.graph, node)) return;
        const graph::KernelId kernel = node.kernel;
        const auto [known, isNew] = delaysOf.try_emplace(kernel);
        if (isNew) known->second = findDelays(made.kernels[kernel]);
        if (!known->second || !isWorth(node)) return;
        std::optional<std::vector<Value>> beginning = beginningOf(made, id, *known->second);
        if (!beginning) return;
        base::PassRun run(context.passes(), base::Pass::DelaysToWindows,
                          graph::path(made.graph, id));
        if (!run) return;
        run.show([&] { return "looks " + std::to_string(known->second->depth) + " items back\n"; });
        node.kernel = converted(kernel, *known->second);
        node.work = made.kernels[node.kernel].work;
        made.graph.edges[node.inputs[0]].initial = std::move(*beginning);
        changes = true;
    }

    /// Windows of several items have to be transposed for vectors, which took twice the time of a pipeline with its state in
    /// registers (benchmarks/programs/lattice_stages.str), unless it gets columns from a filter that has no state either.
    bool isWorth(const graph::Node& node) const {
        if (node.work.pop.max <= kMostAlone) return true;
        const graph::Edge& edge = made.graph.edges[node.inputs[0]];
        if (edge.from == graph::kNone || node.work.pop.max > kMostBehind) return false;
        const graph::Node& before = made.graph.nodes[edge.from];
        return before.kind == graph::NodeKind::Filter && before.inputs.size() == 1 &&
               before.work.push.max == node.work.pop.max && before.work.pop.max > 0 &&
               !storesFields(made.kernels[before.kernel]);
    }

    bool storesFields(const elab::Kernel& kernel) const {
        if (kernel.builtin != ir::BuiltinStream::None) return false;
        for (const ir::Body* body : ir::bodiesThatFire(context.module, kernel.code))
            for (const ir::Block& block : body->blocks)
                for (const ir::Instr& instr : block.instrs)
                    if (instr.op == ir::Op::Store && instr.var.space == ir::Space::Field)
                        return true;
        return false;
    }

    graph::KernelId converted(graph::KernelId kernel, const Delays& delays) {
        const auto [at, isNew] =
            newKernels.emplace(kernel, static_cast<graph::KernelId>(made.kernels.size()));
        if (isNew)
            made.kernels.push_back(withoutDelays(made.kernels[kernel], delays, context.types));
        return at->second;
    }

    const pass::Context& context;
    const pass::Program& program;
    Elaboration made;
    std::map<graph::KernelId, std::optional<Delays>> delaysOf;
    std::map<graph::KernelId, graph::KernelId> newKernels;
    bool changes = false;
};

}  // namespace

std::optional<pass::Program> delaysToWindows(const pass::Context& context,
                                             const pass::Program& program) {
    const base::Passes& passes = context.passes();
    if (!passes.isEnabled(base::Pass::DelaysToWindows) || !elab::mayReplace(*program.elaboration))
        return std::nullopt;
    return Conversion(context, program).run();
}

}  // namespace strc::opt
