#pragma once
/// The machine that code is made for.

#include <memory>
#include <string>

#include "codegen/detail/llvm_backend.h"
#include "codegen/lower.h"

namespace strc::codegen {

/// Why no code can be made for this processor, as a sentence; or empty. The functions below rely on that.
std::string whyNotHere();
/// This processor with all it can. Floating point is strict: nothing is contracted.
std::unique_ptr<llvm::TargetMachine> hostMachine(const Options&);
llvm::orc::JITTargetMachineBuilder hostBuilder(const Options&);

}  // namespace strc::codegen
