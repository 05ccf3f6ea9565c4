#pragma once
/// The table of strc/ending.h. Private to codegen.

#include "codegen/detail/module_builder.h"
#include "graph/ending.h"

namespace strc::codegen {

/// `init`, `steady`: the phases that leave firings out.
llvm::Constant* emitEnding(ModuleBuilder&, const graph::Ending&, llvm::Constant* init,
                           llvm::Constant* steady);

}  // namespace strc::codegen
