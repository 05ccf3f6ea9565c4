#pragma once
/// The machine that code is made for.

#include <memory>
#include <string>

#include "codegen/detail/llvm_backend.h"
#include "codegen/lower.h"

namespace strc::codegen {

/// Why no code can be made for this processor, as a sentence; or empty. The functions below rely on that.
std::string whyNotHere();
/// The processor of the options, or the one at hand with all it can. Floating point is strict: nothing is
/// contracted.
std::unique_ptr<llvm::TargetMachine> targetMachine(const Options&);
llvm::orc::JITTargetMachineBuilder targetBuilder(const Options&);

}  // namespace strc::codegen
