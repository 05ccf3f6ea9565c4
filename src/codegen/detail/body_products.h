#pragma once
/// Contractions of a body.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// Decides which contractions a library does (the pass `library-operators`), before anything of the body is emitted.
void chooseOperators(BodyContext&);
/// The same of products of matrices (the pass `register-tiling`), after chooseOperators.
void chooseProducts(BodyContext&);
/// Makes memory for the blocks of all products in turn; null: they need none.
llvm::Value* makeScratch(BodyContext&, llvm::IRBuilder<>& where);
/// An Op::Contract, in the way that these have chosen.
void emitContract(BodyContext&, const Instr&);

}  // namespace strc::codegen
