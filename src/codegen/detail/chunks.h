#pragma once
/// The table of strc/chunks.h. Private to codegen.

#include "codegen/detail/module_builder.h"

namespace strc::codegen {

/// With a function of env and state for each segment.
llvm::Constant* emitChunks(ModuleBuilder&, const plan::Chunk&);

}  // namespace strc::codegen
