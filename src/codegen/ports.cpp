#include "codegen/detail/ports.h"

namespace strc::codegen {

using graph::EdgeId;
using plan::Step;

llvm::Value* portField(PhaseContext& c, graph::NodeId id, std::size_t port, bool isInput) {
    const elab::Elaboration& program = *c.m.plan.program;
    const elab::Kernel& kernel = program.kernels[program.graph.nodes[id].kernel];
    const std::uint32_t field =
        isInput ? kernel.code.inputFields[port] : kernel.code.outputFields[port];
    return c.b.CreateConstInBoundsGEP1_64(c.m.i8(), c.fieldsOf(id),
                                          static_cast<std::uint64_t>(kernel.fieldOffsets[field]));
}

void emitTakes(PhaseContext& c, const Step& step, llvm::Value* loopIndex, std::int64_t firings) {
    const graph::Graph& graph = c.m.plan.program->graph;
    const graph::Node& node = graph.nodes[step.node];
    for (std::size_t port = 0; port < node.inputRates.size(); ++port) {
        const EdgeId edge = node.inputs[port];
        const std::int64_t rate = graph::popRate(graph, edge, step.first);
        c.copy(portField(c, step.node, port, true),
               c.item(edge, step.inputs[port], loopIndex, rate), c.bytesOf(edge, firings * rate));
    }
}

void emitGives(PhaseContext& c, const Step& step, llvm::Value* loopIndex, std::int64_t firings) {
    const graph::Graph& graph = c.m.plan.program->graph;
    const graph::Node& node = graph.nodes[step.node];
    for (std::size_t port = 0; port < node.outputRates.size(); ++port) {
        const EdgeId edge = node.outputs[port];
        const std::int64_t rate = graph::pushRate(graph, edge, step.first);
        c.copy(c.item(edge, step.outputs[port], loopIndex, rate),
               portField(c, step.node, port, false), c.bytesOf(edge, firings * rate));
    }
}

}  // namespace strc::codegen
