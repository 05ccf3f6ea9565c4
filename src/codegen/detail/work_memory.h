#pragma once
/// Large arrays of bodies in the work memory of the run (strc_env::work) instead of on the stack. Until LLVM has optimised
/// the code they are variables of functions, which nothing else can point to; then their places are chosen.

#include <cstdint>

#include "codegen/detail/llvm.h"

namespace strc::codegen {

/// Arrays of this function may lie there: its first parameter is the environment, and two calls of it are never under way
/// at a time in one run. Marks it if it has such arrays; to be called once it is complete.
void markForWork(llvm::Function&);

/// Once all functions are optimised: lays out the arrays of those that are marked, and of what was inlined into them, and
/// says in the constants of the programs (strc_program) how much memory that takes.
void placeWork(llvm::Module&);

}  // namespace strc::codegen
