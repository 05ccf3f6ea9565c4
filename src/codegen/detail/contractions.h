#pragma once
/// Code for Op::Contract.

#include <functional>

#include "codegen/detail/llvm.h"
#include "ir/contraction.h"

namespace strc::codegen {

/// What a contraction works on: arrays of elements of one type.
struct Operands {
    llvm::Type* element;
    llvm::Value *out, *a, *b;
};

/// Emits it where `b` stands; variables go to `entry`. `poll` emits what a long loop does now and then.
void emitContraction(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const ir::Contraction&,
                     const Operands&, const std::function<void()>& poll);

class ModuleBuilder;

/// The same; a large one in parts, which the runtime shares among its workers.
void emitContractionParts(ModuleBuilder&, llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry,
                          const ir::Contraction&, const Operands&, llvm::Value* env);

}  // namespace strc::codegen
