#pragma once
/// The machine that code is made for.

#include <memory>
#include <string>

#include "codegen/detail/llvm_backend.h"
#include "codegen/detail/product.h"
#include "codegen/lower.h"

namespace strc::codegen {

/// Why no code can be made for this processor, as a sentence; or empty. The functions below rely on that.
std::string whyNotHere();
/// The processor of the options, or the one at hand with all it can. Floating point is strict: nothing is
/// contracted.
std::unique_ptr<llvm::TargetMachine> targetMachine(const Options&);
llvm::orc::JITTargetMachineBuilder targetBuilder(const Options&);

inline constexpr const char* kVectorLibrary = "libmvec.so.1";
/// How many numbers the functions of libmvec take at once on it; 0: there are none. Of those on doubles several
/// are new in glibc 2.35, so they count only where they are on this system.
unsigned vectorFloats(const llvm::TargetMachine&);
unsigned vectorDoubles(const llvm::TargetMachine&, const Options&);
target::Model targetModel(const llvm::TargetMachine&);
/// Is the function in this system's libmvec?
bool hasVectorFunction(const std::string& symbol);

}  // namespace strc::codegen
