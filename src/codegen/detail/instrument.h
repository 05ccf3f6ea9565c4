#pragma once
/// LLVM's passes as base::Passes sees them.

#include <memory>

#include "base/passes.h"
#include "codegen/detail/llvm_backend.h"

namespace strc::codegen {

/// Each of LLVM's passes is measured, if anything is. All that outlives the callbacks.
void measurePasses(llvm::PassInstrumentationCallbacks&, base::Passes&);

/// Who LLVM asks whether a pass may run, also in code generation: numbers go on after those of our
/// own passes. The context must know it (setOptPassGate) and is not used after it is gone.
std::unique_ptr<llvm::OptPassGate> passGate(base::Passes&);

}  // namespace strc::codegen
