#include "lowered/lower.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "elab/replace.h"
#include "ir/calls.h"
#include "lowered/detail/chunks.h"
#include "lowered/detail/partitions.h"
#include "lowered/detail/phases.h"
#include "lowered/detail/ports.h"
#include "lowered/detail/start.h"
#include "plan/writes.h"

namespace strc::lowered {
namespace {

// ---- what has no lower form

std::string whyNot(const ir::Instr& instr) {
    if (instr.op == ir::Op::Send) return "it sends messages";
    if (ir::readsFile(instr.op)) return "a filter reads an array while it runs";
    if (instr.op == ir::Op::Call && instr.callee.kind == ir::CalleeKind::DynamicShape)
        return "only the run can tell some of its shapes";
    return {};
}

std::string whyNot(const ir::Module& module, const elab::Kernel& kernel) {
    for (const ir::Body* body : ir::bodiesThatRun(module, kernel.code))
        for (const ir::Block& block : body->blocks)
            for (const ir::Instr& instr : block.instrs)
                if (std::string why = whyNot(instr); !why.empty()) return why;
    return {};
}

// ---- the one filter

ir::StreamCode frame(const plan::Plan& plan, const std::string& name, base::SourceRange header) {
    const graph::Graph& graph = plan.program->graph;
    const Ports ports = findPorts(plan);
    ir::StreamCode code;
    code.name = name;
    code.range = code.header = header;
    code.setup.blocks.emplace_back();
    if (ports.input() != graph::kNone) code.input = graph::memoryOf(graph.edges[ports.input()]);
    if (ports.output() != graph::kNone) code.output = graph::memoryOf(graph.edges[ports.output()]);
    return code;
}

/// Of its tapes; a side with several ports has none.
graph::Rates ratesOf(const plan::Plan& plan, const plan::Phase& phase) {
    const std::int64_t reads = phase.reads.size() == 1 ? phase.reads[0] : 0;
    const std::int64_t writes = plan.outputs.size() == 1 ? plan::itemsWritten(phase.steps) : 0;
    return {graph::fixedRate(reads), graph::fixedRate(reads), graph::fixedRate(writes)};
}

/// That of a file stays with the filter that writes it.
std::uint8_t effectsOf(const graph::Graph& graph) {
    unsigned all = graph::kNoEffect;
    for (const graph::Node& node : graph.nodes) all |= node.effects;
    return static_cast<std::uint8_t>(all & ~unsigned{graph::kWritesFile});
}

bool anyStartsLate(const elab::Elaboration& program) {
    return std::any_of(program.kernels.begin(), program.kernels.end(),
                       [](const elab::Kernel& kernel) { return kernel.code.startsLate; });
}

/// One node with that kernel in the place of the whole graph, but for its files.
elab::Elaboration wrapped(const plan::Plan& plan, elab::Kernel kernel, std::string state) {
    const graph::Graph& graph = plan.program->graph;
    elab::Replacement whole;
    whole.place.entry = 0;
    whole.name = kernel.code.name;
    whole.work = kernel.work;
    whole.made = std::move(kernel);
    whole.state = std::make_shared<const std::string>(std::move(state));
    elab::Elaboration made = elab::replace(*plan.program, {std::move(whole)}).program;
    graph::Node& node = made.graph.nodes[0];
    made.kernels = {std::move(made.kernels[node.kernel])};
    node.kernel = 0;
    node.prework = made.kernels[0].prework;
    node.effects = effectsOf(graph);
    for (graph::Edge& edge : made.graph.edges) edge.initial.clear();  // they lie on tapes
    connectPorts(made, plan);
    return made;
}

}  // namespace

std::string whyNot(const ir::Module& module, const plan::Plan& plan) {
    const elab::Elaboration& program = *plan.program;
    if (plan.demand) return "it has dynamic rates";
    if (plan.tapes != plan::Tapes::Linear) return "its tapes are ring buffers";
    if (!plan.mailboxes.empty()) return "it sends messages";
    for (NodeId id = 0; id < program.graph.nodes.size(); ++id) {
        const graph::Node& node = program.graph.nodes[id];
        if (node.kernel == graph::kNone) continue;
        if (std::string why = whyNot(module, program.kernels[node.kernel]); !why.empty())
            return why;
    }
    return {};
}

namespace {

/// Of a plan without files among its steps.
Program lowerEnds(base::Context& context, types::TypeTable& types, const ir::Module& module,
                  const plan::Plan& plan, const Options& options) {
    const graph::Graph& graph = plan.program->graph;
    const bool isComposite = !graph.composites.empty();
    const base::SourceRange header =
        isComposite ? graph.composites[0].header : graph.nodes[0].range;
    elab::Kernel kernel;
    kernel.code = frame(plan, isComposite ? graph.composites[0].name : graph.nodes[0].name, header);
    kernel.input = kernel.code.input;
    kernel.output = kernel.code.output;
    const State state(context, types, plan);
    std::string bytes = state.describe(kernel);
    const RateProofs rates(module, *plan.program);
    Lanes lanes(context, types, options.target, *plan.program, rates);
    Functions functions(types, state, rates, lanes, *plan.program);
    kernel.work = ratesOf(plan, plan.steady);
    if (!plan.init.steps.empty() || anyStartsLate(*plan.program)) {
        kernel.prework = ratesOf(plan, plan.init);
        kernel.code.prework = phaseBody(functions, plan, plan.init, true, header);
    }
    const bool isScaled = options.scales && plan.scaled.iterations > 0;
    kernel.code.work = isScaled
                           ? phaseBody(functions, plan, plan.steady, false, header)
                           : workBody(functions, options.scales ? &context : nullptr, plan, header);
    if (isScaled)
        kernel.blocks = elab::Blocks{plan.scaled.iterations, ratesOf(plan, plan.scaled),
                                     blocksBody(functions, context, plan, header)};
    std::optional<plan::Chunk> chunk;
    if (isScaled && hasChunk(plan)) chunk = chunkOf(functions, context, plan, kernel, header);
    std::optional<plan::Partitioning> partitioning;
    if (hasPartitions(plan))
        partitioning = partitionsOf(functions, options.scales ? &context : nullptr, plan, header);
    if (plan.drain) {
        auto add = [&](const plan::Phase& phase, const char* name) {
            return functions.add(drainBody(functions, plan, phase, name, header));
        };
        kernel.drain =
            elab::Drain{add(plan.drain->init, "drain_first"), add(plan.drain->steady, "drain"),
                        state.left(), plan.drain->ending};
        if (plan.outputs.size() > 1)
            for (const Port& port : state.ports().ports().outputs)
                kernel.drain->outputPlaces.push_back(state.placeOf(port.edge, false));
    }
    for (std::uint32_t slot = 0; slot < module.open.size(); ++slot) {
        std::optional<ir::Body> update =
            updateBody(functions, plan, slot, "update_" + module.open[slot].name, header);
        kernel.updates.push_back(update ? functions.add(std::move(*update)) : ir::kNone);
    }
    functions.finish(kernel);
    Program made{wrapped(plan, std::move(kernel), std::move(bytes)), std::move(chunk),
                 std::move(partitioning)};
    if (made.chunk) placeEnds(*made.chunk, plan, made.elaboration.graph);
    if (made.partitioning) placeEnds(*made.partitioning, made.elaboration.graph);
    return made;
}

}  // namespace

Program lower(base::Context& context, types::TypeTable& types, const ir::Module& module,
              const plan::Plan& plan, const Options& options) {
    const std::optional<plan::Plan> changed = withFilesAsEnds(plan);
    return lowerEnds(context, types, module, changed ? *changed : plan, options);
}

}  // namespace strc::lowered
