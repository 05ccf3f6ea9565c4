#pragma once
/// A symbolic filter as compiled engines have it. Private to elab.

#include "graph/graph.h"
#include "ir/ir.h"

namespace strc::elab {

/// What items are on the channels of a filter; void: there is none.
struct ItemTypes {
    const types::Type* input = nullptr;
    const types::Type* output = nullptr;
};

/// A body that takes the items of a firing, has somebody do it (ir::CalleeKind::DynamicShape) and gives what comes of it, in place
/// of `body`, which has such rates.
ir::Body callThunk(graph::NodeId, const ItemTypes&, const graph::Rates&, const ir::Body& body,
                   types::TypeTable&);

}  // namespace strc::elab
