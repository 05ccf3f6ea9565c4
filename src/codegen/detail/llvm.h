#pragma once
/// The door to LLVM's IR. With llvm_backend.h the only header that includes LLVM; opened by .cpp files
/// and detail headers of this folder alone.

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/OptBisect.h>
#pragma GCC diagnostic pop

namespace strc::codegen {

/// Counts and offsets as LLVM's builders take constants.
inline std::uint64_t asU64(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace strc::codegen
