#pragma once
/// Built-in functions, one by one and in vectors.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// Decides for the whole body (the passes `vector-math` and `tensor-math`), before anything of it is emitted.
void chooseVectorMath(BodyContext&);

/// The value of an Op::Math.
llvm::Value* builtinFunction(BodyContext&, const Instr&);

/// Is the result of this Op::Math needed as a float alone?
bool isFloatMath(const BodyContext&, const Instr&);
/// Relaxed, or in a loop that LLVM may do in vectors; null: it is no such function, or there is nothing faster.
llvm::Value* mathInLoop(BodyContext&, const Instr&, llvm::Value* x);
/// A conversion to float that ends a sigmoid; null: it does not.
llvm::Value* sigmoidInLoop(BodyContext&, const Instr& conversion);
/// The function of vectors of floats; null: there is nothing faster than one by one.
llvm::Value* roundedMath(BodyContext&, types::MathFn, std::vector<llvm::Value*> floats);

}  // namespace strc::codegen
