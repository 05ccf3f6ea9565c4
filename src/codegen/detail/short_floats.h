#pragma once
/// Numbers of 16 bits, half and bfloat16, as bits in registers: what no instruction of every processor does. Exact, and rounded as
/// strc_to_half and strc_to_bfloat16 do (strc/values.h). Values may be vectors.

#include "codegen/detail/llvm.h"
#include "types/type.h"

namespace strc::codegen {

/// The floats of which these are the bits. `kind`: Half or BFloat16.
llvm::Value* ofShortFloat(llvm::IRBuilder<>&, llvm::Value* bits, types::TypeKind kind);
/// The bits of the nearest numbers, of floats or doubles.
llvm::Value* toShortFloat(llvm::IRBuilder<>&, llvm::Value* number, types::TypeKind kind);

/// What memory has of elements of that kind as ints or floats, exactly; other kinds stay.
llvm::Value* widenElements(llvm::IRBuilder<>&, llvm::Value* elements, types::TypeKind kind);

}  // namespace strc::codegen
