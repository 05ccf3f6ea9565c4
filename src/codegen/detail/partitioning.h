#pragma once
/// The table of strc/partitions.h. Private to codegen.

#include "codegen/detail/module_builder.h"

namespace strc::codegen {

/// `functions`: of env, state and the slice for each partition; of env and state for what comes before, and after.
llvm::Constant* emitPartitioning(ModuleBuilder&, const plan::Partitioning&,
                                 const std::vector<llvm::Function*>& functions);

}  // namespace strc::codegen
