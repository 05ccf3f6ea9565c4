#pragma once
/// Contractions of which each lane does its own: products of one program's matrices with a column for each instance. Sums have the
/// order of the contraction of a single instance, so that the bits are the same.

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/detail/contractions.h"

namespace strc::codegen {

/// In which order the products of one place are added.
struct SumOrder {
    std::vector<ir::ContractionLoop> loops;  ///< outermost first; perhaps none
    /// Each place has so many sums: of the innermost loop iteration k goes to number k % parts. In the end the second half of them is added to the
    /// first one, until one is left.
    std::int64_t parts = 1;
    /// What the innermost loop has behind its last whole round of parts goes to a sum of its own, which is added at the very end.
    bool hasRest = false;
    bool fuses = true;  ///< a product and its addition are rounded once
};

/// Of a product whose parts have been set (Product::parts).
SumOrder orderOf(const Product&, const target::Model&);
/// Of one that is no product (emitContraction).
SumOrder orderOf(const ir::Contraction&, std::int64_t elementBytes);

/// An array in which each element is a vector of all lanes, or one that they share.
struct LaneOperand {
    llvm::Value* at = nullptr;
    bool isInLanes = false;
    Factor factor = {};
};

struct LaneOperands {
    llvm::Type* element = nullptr;  ///< of one lane
    std::int64_t lanes = 1;
    llvm::Value* out = nullptr;  ///< vectors
    LaneOperand a, b;
    std::vector<LaneOperand> addends = {};
};

void emitLaneSums(const ContractionSite&, const ir::Contraction&, const SumOrder&,
                  const LaneOperands&);

}  // namespace strc::codegen
