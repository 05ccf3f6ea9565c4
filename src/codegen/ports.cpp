#include "codegen/detail/ports.h"

namespace strc::codegen {

using graph::EdgeId;
using plan::Step;

namespace {

/// Between the fields of the ports on a side and their tapes.
void copyItems(PhaseContext& c, const Step& step, llvm::Value* loopIndex, std::int64_t firings,
               bool isInput) {
    const graph::Graph& graph = c.m.plan.program->graph;
    const graph::Node& node = graph.nodes[step.node];
    const std::size_t ports = (isInput ? node.inputRates : node.outputRates).size();
    for (std::size_t port = 0; port < ports; ++port) {
        const EdgeId edge = (isInput ? node.inputs : node.outputs)[port];
        const std::int64_t rate = isInput ? graph::popRate(graph, edge, step.first)
                                          : graph::pushRate(graph, edge, step.first);
        llvm::Value* field = portField(c, step.node, port, isInput);
        llvm::Value* items =
            c.item(edge, (isInput ? step.inputs : step.outputs)[port], loopIndex, rate);
        c.copy(isInput ? field : items, isInput ? items : field, c.bytesOf(edge, firings * rate));
    }
}

}  // namespace

llvm::Value* portField(PhaseContext& c, graph::NodeId id, std::size_t port, bool isInput) {
    const elab::Elaboration& program = *c.m.plan.program;
    const elab::Kernel& kernel = program.kernels[program.graph.nodes[id].kernel];
    const std::uint32_t field =
        isInput ? kernel.code.inputFields[port] : kernel.code.outputFields[port];
    return c.b.CreateConstInBoundsGEP1_64(c.m.i8(), c.fieldsOf(id),
                                          static_cast<std::uint64_t>(kernel.fieldOffsets[field]));
}

void emitTakes(PhaseContext& c, const Step& step, llvm::Value* loopIndex, std::int64_t firings) {
    copyItems(c, step, loopIndex, firings, true);
}

void emitGives(PhaseContext& c, const Step& step, llvm::Value* loopIndex, std::int64_t firings) {
    copyItems(c, step, loopIndex, firings, false);
}

}  // namespace strc::codegen
