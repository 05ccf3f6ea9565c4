// The memory of tensors on channels.

#include <algorithm>
#include <map>
#include <set>

#include "elab/detail/channel_aliases.h"
#include "elab/detail/compiled_form.h"
#include "elab/detail/expanded_kernels.h"
#include "elab/detail/shapes.h"
#include "tensor/storage.h"

namespace strc::elab {
namespace {

using base::Diag;
using graph::EdgeId;
using graph::NodeId;
using tensor::Sequence;

/// What the streams around it declare.
bool fitsSide(const graph::Edge& edge, ShapeFaults& faults) {
    for (const Type* item : edge.tensors) {
        if (types::compatible(item, edge.type)) continue;
        faults.add(Diag::TensorShape, edge.range)
            << "the stream"
            << types::toString(item) + " comes where " + types::toString(edge.type) +
                   " is declared";
        return false;
    }
    return true;
}

}  // namespace

void place(Value& value, const Type* item, types::TypeTable& types) {
    std::int64_t offset = 0;
    if (item->is(types::TypeKind::Struct)) {
        const std::uint32_t field = tensor::fieldOf(item, value.type, types);
        offset = item->structure->fields[field].offset;
    }
    std::string bytes(static_cast<std::size_t>(types::sizeOf(item)), '\0');
    std::copy(value.bytes.begin(), value.bytes.end(), bytes.begin() + offset);
    value = {item, std::move(bytes)};
}

bool areOpen(const Sequence& items) {
    return !std::all_of(items.begin(), items.end(), types::isConcrete);
}

bool isPeriodic(const graph::Node& node, const Kernel& kernel, const Sequence& items) {
    const bool isAny = kernel.builtin != ir::BuiltinStream::None;
    return isAny || items.size() <= 1 ||
           (node.work.pop.min == node.work.pop.max && !node.prework &&
            node.work.pop.min % static_cast<std::int64_t>(items.size()) == 0);
}

void layOutTensors(base::Context& context, const ir::Module& module, types::TypeTable& types,
                   const std::vector<Sequence>& items, Elaboration& program, ShapeFaults& faults) {
    graph::Graph& graph = program.graph;
    tensor::Storages storages(types, context.names.intern("tensors"));
    ChannelAliases groups(program);
    std::map<EdgeId, std::set<const Type*>> sets;
    for (EdgeId id = 0; id < graph.edges.size(); ++id)
        if (!areOpen(items[id])) sets[groups.of(id)].insert(items[id].begin(), items[id].end());
    for (EdgeId id = 0; id < graph.edges.size(); ++id) {
        graph::Edge& edge = graph.edges[id];
        if (!isTensor(edge.type)) continue;
        edge.tensors = items[id];
        if (!fitsSide(edge, faults)) return;
        if (edge.tensors.empty() || areOpen(edge.tensors)) continue;
        const Type* memory = storages.of(sets[groups.of(id)]);
        (program.dynamicShape ? edge.inFiles : edge.type) = memory;
        if (!program.dynamicShape)
            for (Value& value : edge.initial) place(value, memory, types);
    }
    if (program.dynamicShape) return leaveToRun(context, module, types, items, program);
    ExpandedKernels kernels(context, module, types, items, program);
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
        if (graph.nodes[id].kind != graph::NodeKind::Filter) continue;
        if (auto fault = kernels.specialise(id)) faults.add(id, *fault, kernels.arrivingAt(id));
    }
}

}  // namespace strc::elab
