#pragma once
/// Equal parts of a contraction, which the runtime shares among its workers: a function that does one of them, and a call that
/// has all of them done. What they are does not depend on how many workers there are, so neither do the results.

#include <cstdint>
#include <functional>

#include "codegen/detail/contractions.h"

namespace strc::codegen {

class ModuleBuilder;

/// Makes the code for a part of so many iterations that begins at the operands; variables go to `entry`.
using EmitPart = std::function<void(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const Operands&,
                                    std::int64_t trips, llvm::Value* number)>;

struct SharedParts {
    ir::ContractionLoop loop;
    std::int64_t grain = 1;  ///< iterations of a part; the last one may have fewer
    EmitPart part;
    std::int64_t partial =
        0;  ///< elements of the result that each part has for itself; 0: they share one
    llvm::Constant* spread = nullptr;  ///< strc_spread_plan, if processes share them, too
};

void emitShared(ModuleBuilder&, llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const SharedParts&,
                const Operands&, llvm::Value* env);

/// A product in a part: with room of its own.
void emitPiece(ModuleBuilder&, llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const Product&,
               const Operands&);

}  // namespace strc::codegen
