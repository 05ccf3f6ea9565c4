#pragma once
/// Kernels of filters with tensors, for the tensors that arrive and for the memory of channels. Private to elab.

#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "elab/elaborate.h"
#include "tensor/expand.h"

namespace strc::elab {

class ExpandedKernels {
public:
    /// `items`: by edge. What channels have as memory is the type of their edges.
    ExpandedKernels(base::Context& context, const ir::Module& module, types::TypeTable& types,
                    const std::vector<tensor::Sequence>& items, Elaboration& program)
        : context(context), natives(module.natives), types(types), items(items), program(program) {}

    /// The node's kernel gives way to such a one; a fault: it stays.
    std::optional<tensor::Fault> specialise(graph::NodeId);
    /// What arrives at the node.
    const tensor::Sequence& arrivingAt(graph::NodeId) const;

private:
    const Type* memoryOf(const std::vector<graph::EdgeId>&) const;
    std::optional<tensor::Fault> make(graph::NodeId, const tensor::Channels&, Kernel&);

    base::Context& context;
    std::span<const ir::Native> natives;
    types::TypeTable& types;
    const std::vector<tensor::Sequence>& items;
    Elaboration& program;
    std::map<std::tuple<graph::KernelId, tensor::Sequence, const Type*, const Type*>,
             graph::KernelId>
        made;
};

}  // namespace strc::elab
