#pragma once
/// Branches on data whose sides are both done (the pass `if-conversion`).

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// Decides which, before anything of the body is emitted. With -g there are none: lines of the wrong side would seem to run.
void chooseIfConversion(BodyContext&);
bool isConverted(const BodyContext&, const Instr& branch);
/// Memory behind a local for what its condition forbids to be stored.
std::uint64_t spareBytes(const BodyContext&, std::size_t local);

/// One of both by BodyContext::predicate, without a branch.
llvm::Value* selectValue(BodyContext&, llvm::Value* x, llvm::Value* otherwise);
/// Where to load or store an element: behind its array, unless the predicate holds.
llvm::Value* selectedAddress(BodyContext&, Reg ref);
/// The output, or the memory beside it.
llvm::Value* selectedOutput(BodyContext&);

}  // namespace strc::codegen
