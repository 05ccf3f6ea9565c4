#pragma once
/// What finding the shapes of tensors (shapes.cpp) is made of. Private to elab.

#include <optional>
#include <vector>

#include "elab/elaborate.h"
#include "graph/hierarchy.h"
#include "tensor/expand.h"

namespace strc::elab {

/// Has to do with tensors.
bool usesTensors(const Kernel&);
/// The shortest list that gives the same when it is repeated.
tensor::Sequence shortest(tensor::Sequence);

/// Are the items that a firing takes of the same types each time?
bool isPeriodic(const graph::Node&, const Kernel&, const tensor::Sequence& items);
/// A tensor becomes an item of a channel whose memory is of this type.
void place(Value&, const Type* item, types::TypeTable&);

/// Says what does not fit: of a filter in the library where the program adds it.
class ShapeFaults {
public:
    ShapeFaults(base::Context& context, const graph::Graph& graph)
        : context(context), graph(graph) {}

    bool areAny() const { return found > 0; }
    std::size_t count() const { return found; }
    base::Diagnostic& add(base::Diag, base::SourceRange);
    base::Diagnostic& add(base::Diag, base::SourceRange, graph::NodeId);
    base::Diagnostic& add(const base::Failure&, base::SourceRange, graph::NodeId);
    /// In a body for which these items arrive.
    void add(graph::NodeId, const tensor::Fault&, const tensor::Sequence& items);
    /// Why the program is symbolic, which is no fault.
    void warn(const DynamicShape&);

private:
    graph::Added addedTo(graph::NodeId) const;
    base::SourceRange outside(base::SourceRange, graph::NodeId) const;

    base::Context& context;
    const graph::Graph& graph;
    std::size_t found = 0;
};

/// What arrives at the program's open input: as a user says, who may leave extents open, as files have it, or as it is
/// declared. Empty: there is a fault.
tensor::Sequence arrivingItems(const graph::Edge& input, const Entry&, types::TypeTable&,
                               ShapeFaults&);
/// What a reader in the program gives: what is declared leaves open is as its file has it. Nothing: there is a fault.
std::optional<tensor::Sequence> itemsOfReader(const graph::Graph&, graph::NodeId, const Kernel&,
                                              types::TypeTable&, ShapeFaults&);

/// Does each of these items bring some of its extents itself?
bool areOpen(const tensor::Sequence&);

/// `items`, by edge, become Edge::tensors, channels get memory for them, and filters kernels that know both; nothing has
/// memory in a symbolic program.
void layOutTensors(base::Context&, const ir::Module&, types::TypeTable&,
                   const std::vector<tensor::Sequence>& items, Elaboration&, ShapeFaults&);

}  // namespace strc::elab
