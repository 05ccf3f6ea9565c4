#pragma once
/// Parts of vectors that LLVM reads as integers of more bits than a register has.

#include "codegen/detail/llvm.h"

namespace strc::codegen {

/// What reads a part of a longer vector, or of memory that was copied as a whole, becomes shifts and truncations of integers
/// of 128 bits and more (SROA, GVN, InstCombine). The X86 target of LLVM 19 loses track of them when it combines shuffles of such
/// parts with constants, and crashes. Makes of each part a `shufflevector` of elements; to be called behind LLVM's passes.
void removeWideIntegers(llvm::Module&);

}  // namespace strc::codegen
