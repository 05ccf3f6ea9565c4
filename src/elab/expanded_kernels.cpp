#include "elab/detail/expanded_kernels.h"

#include "elab/detail/shapes.h"

namespace strc::elab {

using tensor::Channels;
using tensor::Fault;
using tensor::Sequence;

const Sequence& ExpandedKernels::arrivingAt(graph::NodeId id) const {
    static const Sequence none;
    const graph::Node& node = program.graph.nodes[id];
    return node.inputs.empty() ? none : items[node.inputs[0]];
}

std::optional<Fault> ExpandedKernels::specialise(graph::NodeId id) {
    graph::Node& node = program.graph.nodes[id];
    if (!usesTensors(program.kernels[node.kernel])) return std::nullopt;
    const Channels channels{memoryOf(node.inputs), memoryOf(node.outputs)};
    std::tuple key{node.kernel, arrivingAt(id), channels.input, channels.output};
    auto found = made.find(key);
    if (found == made.end()) {
        Kernel kernel = program.kernels[node.kernel];
        if (auto fault = make(id, channels, kernel)) return fault;
        found = made.emplace(key, static_cast<graph::KernelId>(program.kernels.size())).first;
        program.kernels.push_back(std::move(kernel));
    }
    node.kernel = found->second;
    return std::nullopt;
}

const Type* ExpandedKernels::memoryOf(const std::vector<graph::EdgeId>& edges) const {
    const bool hasTensors = !edges.empty() && !program.graph.edges[edges[0]].tensors.empty();
    return hasTensors ? program.graph.edges[edges[0]].type : nullptr;
}

std::optional<Fault> ExpandedKernels::make(graph::NodeId id, const Channels& channels,
                                           Kernel& kernel) {
    if (kernel.builtin == ir::BuiltinStream::None) {
        auto fault = tensor::expandWork(kernel.code,
                                        {kernel.constants,
                                         arrivingAt(id),
                                         {kernel.tensors, kernel.storedTensors, {}},
                                         false,
                                         &context.passes,
                                         natives},
                                        channels, types);
        if (fault) return fault;
    }
    if (channels.input) kernel.input = channels.input;
    if (channels.output) kernel.output = channels.output;
    return std::nullopt;
}

}  // namespace strc::elab
