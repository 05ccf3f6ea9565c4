#pragma once
/// The table of strc/chunks.h. Private to codegen.

#include "codegen/detail/module_builder.h"

namespace strc::codegen {

/// `segments`: a function of env and state for each of the chunk's.
llvm::Constant* emitChunks(ModuleBuilder&, const plan::Chunk&,
                           const std::vector<llvm::Function*>& segments);

}  // namespace strc::codegen
