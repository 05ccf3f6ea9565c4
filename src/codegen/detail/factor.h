#pragma once
/// The factors of a contraction as they lie in memory.

#include "codegen/detail/llvm.h"
#include "types/type.h"

namespace strc::codegen {

/// What a factor is in memory.
struct Factor {
    llvm::Type* type = nullptr;  ///< of an element, or of a word (Product::word)
    types::TypeKind kind = types::TypeKind::Void;  ///< of narrow elements; Void: that of the sums

    bool operator==(const Factor&) const = default;
};

/// The number, or numbers, of a sum that a factor of a narrow type stands for.
llvm::Value* widenFactor(llvm::IRBuilder<>&, llvm::Value* elements, const Factor&, llvm::Type* sum);

}  // namespace strc::codegen
