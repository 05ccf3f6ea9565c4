// The memory of tensors on channels, and kernels that know it.

#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "elab/shapes.h"
#include "elab/symbolic.h"
#include "tensor/storage.h"

namespace strc::elab {
namespace {

using base::Diag;
using graph::EdgeId;
using graph::NodeId;
using tensor::Sequence;

/// Channels around splitters, joiners and Identity, which hand on items as they lie in memory: all have items of one type.
class Groups {
public:
    explicit Groups(const Elaboration& program) : first(program.graph.edges.size()) {
        std::iota(first.begin(), first.end(), EdgeId{0});
        for (const graph::Node& node : program.graph.nodes) {
            const bool handsOn =
                node.kind != graph::NodeKind::Filter ||
                program.kernels[node.kernel].builtin == ir::BuiltinStream::Identity;
            if (!handsOn) continue;
            for (EdgeId edge : node.inputs) join(edge, node.outputs[0]);
            for (EdgeId edge : node.outputs) join(edge, node.outputs[0]);
        }
    }

    /// One of the channels, for all of them.
    EdgeId of(EdgeId id) {
        while (first[id] != id) id = first[id] = first[first[id]];
        return id;
    }

private:
    void join(EdgeId a, EdgeId b) { first[of(a)] = of(b); }

    std::vector<EdgeId> first;  ///< by edge: another one of the group, or itself
};

/// A tensor becomes an item.
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

/// Kernels of filters give way to those for what arrives, and for the memory of the items.
class Kernels {
public:
    Kernels(base::Context& context, const ir::Module& module, types::TypeTable& types,
            const std::vector<Sequence>& items, Elaboration& program, ShapeFaults& faults)
        : context(context),
          natives(module.natives),
          types(types),
          items(items),
          program(program),
          faults(faults) {}

    void specialise(NodeId id) {
        graph::Node& node = program.graph.nodes[id];
        if (!usesTensors(program.kernels[node.kernel])) return;
        const tensor::Channels channels{memoryOf(node.inputs), memoryOf(node.outputs)};
        const Sequence arriving = node.inputs.empty() ? Sequence() : items[node.inputs[0]];
        std::tuple key{node.kernel, arriving, channels.input, channels.output};
        auto found = made.find(key);
        if (found == made.end()) {
            std::optional<Kernel> kernel = make(id, arriving, channels);
            if (!kernel) return;
            found = made.emplace(key, static_cast<graph::KernelId>(program.kernels.size())).first;
            program.kernels.push_back(std::move(*kernel));
        }
        node.kernel = found->second;
    }

private:
    const Type* memoryOf(const std::vector<EdgeId>& edges) const {
        const bool hasTensors = !edges.empty() && !program.graph.edges[edges[0]].tensors.empty();
        return hasTensors ? program.graph.edges[edges[0]].type : nullptr;
    }

    std::optional<Kernel> make(NodeId id, const Sequence& arriving,
                               const tensor::Channels& channels) {
        Kernel kernel = program.kernels[program.graph.nodes[id].kernel];
        if (kernel.builtin == ir::BuiltinStream::None) {
            std::optional<tensor::Fault> fault =
                tensor::expandWork(kernel.code,
                                   {kernel.constants,
                                    arriving,
                                    {kernel.tensors, kernel.storedTensors, {}},
                                    false,
                                    &context.passes,
                                    natives},
                                   channels, types);
            if (fault) {
                faults.add(id, *fault, arriving);
                return std::nullopt;
            }
        }
        if (channels.input) kernel.input = channels.input;
        if (channels.output) kernel.output = channels.output;
        return kernel;
    }

    base::Context& context;
    std::span<const ir::Native> natives;
    types::TypeTable& types;
    const std::vector<Sequence>& items;
    Elaboration& program;
    ShapeFaults& faults;
    std::map<std::tuple<graph::KernelId, Sequence, const Type*, const Type*>, graph::KernelId> made;
};

}  // namespace

void layOutTensors(base::Context& context, const ir::Module& module, types::TypeTable& types,
                   const std::vector<Sequence>& items, Elaboration& program, ShapeFaults& faults) {
    graph::Graph& graph = program.graph;
    tensor::Storages storages(types, context.names.intern("tensors"));
    Groups groups(program);
    std::map<EdgeId, std::set<const Type*>> sets;
    for (EdgeId id = 0; id < graph.edges.size(); ++id)
        sets[groups.of(id)].insert(items[id].begin(), items[id].end());
    for (EdgeId id = 0; id < graph.edges.size(); ++id) {
        graph::Edge& edge = graph.edges[id];
        if (!isTensor(edge.type)) continue;
        edge.tensors = items[id];
        if (!fitsSide(edge, faults)) return;
        if (edge.tensors.empty()) continue;
        const Type* memory = storages.of(sets[groups.of(id)]);
        (program.symbolic ? edge.inFiles : edge.type) = memory;
        if (!program.symbolic)
            for (Value& value : edge.initial) place(value, memory, types);
    }
    if (program.symbolic) return leaveTensors(module, types, program);
    Kernels kernels(context, module, types, items, program, faults);
    for (NodeId id = 0; id < graph.nodes.size(); ++id)
        if (graph.nodes[id].kind == graph::NodeKind::Filter) kernels.specialise(id);
}

}  // namespace strc::elab
