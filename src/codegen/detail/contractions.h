#pragma once
/// Code for Op::Contract.

#include <array>
#include <functional>

#include "codegen/detail/factor.h"
#include "codegen/detail/llvm.h"
#include "codegen/detail/product.h"
#include "ir/contraction.h"

namespace strc::codegen {

/// The operands of a contraction: arrays of elements of one type, but for factors, which may be narrower.
struct Operands {
    llvm::Type* element;
    llvm::Value *out, *a, *b;
    std::vector<llvm::Value*> addends = {};
    Factor factorA = {element}, factorB = {element};
};

/// Where a tile of a contraction lies: elements from the beginnings of its operands.
struct OperandOffsets {
    llvm::Value *out, *a, *b;
    std::vector<llvm::Value*> addends = {};
};

/// A place so many times `step` elements further on.
llvm::Value* movedBy(llvm::IRBuilder<>&, llvm::Value* place, llvm::Value* times, std::int64_t step);
/// The places after so many iterations of a loop.
OperandOffsets moved(llvm::IRBuilder<>&, const OperandOffsets&, const ir::ContractionLoop&,
                     llvm::Value* iterations);

/// A sum as it is written, after its epilogue: `addends` are elements of the same type, or vectors of them.
llvm::Value* finishSum(llvm::IRBuilder<>&, llvm::Value* sum,
                       const std::vector<llvm::Value*>& addends, const ir::Bounds&);

/// The same for all of a result that holds sums alone.
void emitEpilogue(llvm::IRBuilder<>&, const ir::Contraction&, const Operands&);

/// Emits it where `b` stands. `scratch` has Product::scratchBytes. For VectorSource::Stored the operand that gives the
/// vectors is where its panels begin. `poll` emits what a long loop does now and then.
void emitProduct(llvm::IRBuilder<>& b, const Product&, const target::Model&, const Operands&,
                 llvm::Value* scratch, const std::function<void()>& poll);

/// Emits what makes all words of rows as the tiles take them, at `scratch`, which has Product::preparedBytes; they are the operand
/// from then on (Product::preparesRows).
void prepareRows(llvm::IRBuilder<>&, const Product&, const target::Model&, Operands&,
                 llvm::Value* scratch);

/// One that is no product, likewise; variables go to `entry`.
void emitContraction(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const ir::Contraction&,
                     const Operands&, const std::function<void()>& poll);

class ModuleBuilder;

/// A place in a function that has the environment of the runtime: code goes to `b`, variables to `entry`.
struct ContractionSite {
    ModuleBuilder& m;
    llvm::IRBuilder<>&b, &entry;
    llvm::Value* env;
};

/// The same; a large one in parts, which the runtime shares among its workers.
void emitContractionParts(const ContractionSite&, const ir::Contraction&, const Operands&);
void emitProductParts(const ContractionSite&, const Product&, const Operands&,
                      llvm::Value* scratch);

/// The two factors, if they are stored arrays, which are constant while the program runs; else null.
using StoredOperands = std::array<const ir::StoredArray*, 2>;
/// Emits a contraction whose parts the user has given (--split). False: there are none, or threads do not share them.
bool emitSplit(const ContractionSite&, const ir::Contraction&, const Operands&,
               const StoredOperands&);

}  // namespace strc::codegen
