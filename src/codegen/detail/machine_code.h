#pragma once
/// The last part of compilation: a module of LLVM into an object file in memory.

#include <memory>

#include "codegen/detail/llvm_backend.h"
#include "codegen/lower.h"

namespace strc::codegen {

/// Fails when Options::interrupted says so; the module is of no use then. `stackBytes` gets StackDepth::bytes.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> makeObject(llvm::Module&, llvm::TargetMachine&,
                                                               const Options&,
                                                               std::uint64_t& stackBytes);

}  // namespace strc::codegen
