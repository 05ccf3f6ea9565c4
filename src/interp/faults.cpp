#include "interp/faults.h"

#include "graph/hierarchy.h"

namespace strc::interp {

using base::Diag;

namespace {

void reportShape(base::Context& context, const graph::Graph& graph, graph::NodeId node,
                 const eval::Trap& trap) {
    const graph::Added added = graph::addedBy(context.sources, graph, node);
    base::Diagnostic& fault = context.diags.add(trap.id, added.range).in(graph::path(graph, node));
    fault << graph::subjectOf(context.sources, added, trap.args[0], trap.range) << trap.args[1];
    if (trap.range.valid()) fault.note(Diag::InBodyHere, trap.range) << graph.nodes[node].name;
}

}  // namespace

void reportTrap(base::Context& context, const graph::Graph& graph, graph::NodeId node,
                const eval::Trap& trap) {
    if (trap.id == Diag::TensorShape) return reportShape(context, graph, node, trap);
    base::Diagnostic& fault = context.diags.add(trap.id, trap.range).in(graph::path(graph, node));
    for (const std::string& arg : trap.args) fault << arg;
    graph::noteAdded(context.sources, graph, node, fault);
}

}  // namespace strc::interp
