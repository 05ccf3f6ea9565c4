// What does not fit, and where it is said.

#include "elab/detail/shapes.h"
#include "io/tensors.h"

namespace strc::elab {

using base::Diag;
using graph::NodeId;

base::Diagnostic& ShapeFaults::add(Diag id, base::SourceRange range) {
    ++found;
    return context.diags.add(id, range);
}

base::Diagnostic& ShapeFaults::add(Diag id, base::SourceRange range, NodeId node) {
    return add(id, outside(range, node)).in(graph::path(graph, node));
}

base::Diagnostic& ShapeFaults::add(const base::Failure& failure, base::SourceRange range,
                                   NodeId node) {
    ++found;
    return base::report(context.diags, failure, outside(range, node)).in(graph::path(graph, node));
}

void ShapeFaults::add(NodeId id, const tensor::Fault& fault, const tensor::Sequence& items) {
    const graph::Node& node = graph.nodes[id];
    base::Diagnostic& diag =
        add(fault.isUnknown ? Diag::TensorUnknown : Diag::TensorShape, node.range, id);
    if (fault.isUnknown)
        diag << fault.subject;
    else
        diag << graph::subjectOf(context.sources, addedTo(id), fault.subject, fault.range)
             << fault.why;
    if (fault.range.valid()) diag.note(Diag::InBodyHere, fault.range) << node.name;
    if (!items.empty()) diag.note(Diag::Hint) << "what arrives: " + io::allOf(items);
}

void ShapeFaults::warn(const DynamicShape& dynamicShape) {
    const graph::Node& node = graph.nodes[dynamicShape.node];
    base::Diagnostic& diag =
        context.diags.add(Diag::SymbolicShape, outside(node.range, dynamicShape.node))
            .in(graph::path(graph, dynamicShape.node))
        << dynamicShape.operation << dynamicShape.why
        << (dynamicShape.whyWhole.empty()
                ? "filters without shapes are interpreted"
                : "only the interpreter runs it, since " + dynamicShape.whyWhole);
    if (dynamicShape.range.valid()) diag.note(Diag::InBodyHere, dynamicShape.range) << node.name;
}

graph::Added ShapeFaults::addedTo(NodeId node) const {
    return graph::addedBy(context.sources, graph, node);
}

base::SourceRange ShapeFaults::outside(base::SourceRange range, NodeId node) const {
    return context.sources.isLibrary(range.buffer) ? addedTo(node).range : range;
}

}  // namespace strc::elab
