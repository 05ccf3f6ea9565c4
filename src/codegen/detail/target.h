#pragma once
/// The machine that code is made for.

#include <memory>

#include "codegen/detail/llvm_backend.h"
#include "codegen/lower.h"

namespace strc::codegen {

/// This processor with all it can. Floating point is strict: nothing is contracted.
std::unique_ptr<llvm::TargetMachine> hostMachine(const Options&);
llvm::orc::JITTargetMachineBuilder hostBuilder(const Options&);

}  // namespace strc::codegen
