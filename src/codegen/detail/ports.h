#pragma once
/// Items of a filter with several ports on a side, which lie in its fields while it fires (ir::StreamCode::inputFields). For other
/// filters nothing is emitted. Private to codegen.

#include "codegen/detail/phase_context.h"

namespace strc::codegen {

/// Where the items of a port lie in the fields of the filter.
llvm::Value* portField(PhaseContext&, graph::NodeId, std::size_t port, bool isInput);

/// Before so many firings, and behind them: between the channels and the fields. `loopIndex`: the first of them in the step.
void emitTakes(PhaseContext&, const plan::Step&, llvm::Value* loopIndex, std::int64_t firings);
void emitGives(PhaseContext&, const plan::Step&, llvm::Value* loopIndex, std::int64_t firings);

}  // namespace strc::codegen
