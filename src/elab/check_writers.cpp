// What filters that write to one file have in common.

#include <map>

#include "elab/detail/tree.h"
#include "io/tensors.h"
#include "types/builtin_streams.h"

namespace strc::elab {
namespace {

std::string tensorsOf(const graph::Edge& edge) {
    return edge.tensors.empty() ? types::toString(edge.type) : io::allOf(edge.tensors);
}

}  // namespace

void checkWriters(base::Context& context, const Elaboration& program) {
    const graph::Graph& graph = program.graph;
    std::map<std::string, const graph::Edge*> files;
    for (graph::NodeId id = 0; id < graph.nodes.size(); ++id) {
        const graph::Node& node = graph.nodes[id];
        if (node.kind != graph::NodeKind::Filter) continue;
        const ir::BuiltinStream builtin = program.kernels[node.kernel].builtin;
        if (builtin == ir::BuiltinStream::None ||
            types::info(builtin).role != types::BuiltinRole::Writer)
            continue;
        const graph::Edge& edge = graph.edges[node.inputs[0]];
        const graph::Edge& first = *files.emplace(node.file, &edge).first->second;
        if (edge.type == first.type && edge.tensors == first.tensors) continue;
        context.diags.add(base::Diag::ItemShape, node.range).in(graph::path(graph, id))
            << node.file << tensorsOf(first) << graph::path(graph, id) << tensorsOf(edge);
    }
}

}  // namespace strc::elab
