#pragma once
/// Symbolic programs for compiled engines. Filters whose shapes are all known get code for these, and are compiled, fused and
/// placed as those of any program. Each other one, a *symbolic filter*, is a body that hands over the items of a firing by a call
/// (ir::CalleeKind::DynamicShape) to whoever runs it as the interpreter does (dynamic_shapes/filters.h). On channels whose items
/// only the run knows, these are names (graph::Edge::isHandle). Private to elab.

#include "elab/elaborate.h"
#include "tensor/expand.h"

namespace strc::elab {

/// Of a symbolic program whose edges have their types and tensors, but whose kernels are as declared: its kernels become those of
/// a symbolic program (symbolic.h), and `compiled` is set, or why there is none. `items`: by edge, empty where only the run
/// knows.
void leaveToRun(base::Context&, const ir::Module&, types::TypeTable&,
                const std::vector<tensor::Sequence>& items, Elaboration&);

}  // namespace strc::elab
