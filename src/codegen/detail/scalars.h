#pragma once
/// Constants, arithmetic, comparisons, conversions and texts.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// False: the instruction is none of these.
bool emitScalar(BodyContext&, const Instr&);

/// Part 0 or 1 of a complex number, or of those in a vector of at least two.
llvm::Value* complexPart(BodyContext&, llvm::Value* from, std::uint64_t k);

/// The string, which the runtime has made for the instruction; a fault at run time if it is null. Strings live until the end of
/// their firing, or of an iteration of a loop: together they may be too many.
llvm::Value* newString(BodyContext&, const Instr&, llvm::Value* string);

}  // namespace strc::codegen
