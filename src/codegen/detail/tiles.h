#pragma once
/// Tiles of the result of a product (product.h), each summed up in registers.

#include <cstdint>
#include <vector>

#include "codegen/detail/factor.h"
#include "codegen/detail/llvm.h"
#include "codegen/detail/product.h"

namespace strc::codegen {

struct Tile {
    std::int64_t height = 1;
    std::int64_t rowA = 0, rowOut = 0;  ///< from row to row
    bool areRowsVectors = false;  ///< `a` moves along with the vectors, as the result does
    struct Vector {
        std::int64_t b = 0, out = 0;  ///< where it begins
        std::int64_t used = 1;  ///< lanes; the others are neither read nor written
    };
    std::vector<Vector> vectors;
    std::int64_t lanes = 1;
    std::int64_t stepB = 1;  ///< from lane to lane
    std::vector<ir::ContractionLoop> sums;
    Factor factorA, factorB;
    std::int64_t word = 1;  ///< Product::word
    bool areRowsPrepared = false;  ///< Product::preparesRows
    std::int64_t parts = 0;  ///< Product::parts
    /// From row to row, and whether it moves along with the vectors: else one element is added to all lanes.
    struct Addend {
        std::int64_t row = 0;
        bool isAlong = false;
        std::vector<std::int64_t> vectors;  ///< where each begins
    };
    std::vector<Addend> addends;
    ir::Bounds bounds;
    std::int64_t fetched = 0;  ///< bytes of what is read later, asked for meanwhile
};

/// A sum waits for itself: of so many, products go on in turn. Fewer are taken apart and added at the end.
constexpr std::int64_t kFewestSums = 4;

/// A function of (a, b, out, addends...) that computes it; the same for the same tile. `b` is that of the vectors. What it fetches
/// begins at one more argument, and it returns where that ends.
llvm::Function* tileFunction(llvm::Module&, llvm::Type* element, const Tile&, const target::Model&);

/// Elements from a place on, `step` apart; those beyond `used` are zero and not read.
llvm::Value* loadLanes(llvm::IRBuilder<>&, llvm::Type* element, llvm::Value* at, std::int64_t lanes,
                       std::int64_t step, std::int64_t used);
/// The first `used` elements of a vector.
void storeLanes(llvm::IRBuilder<>&, llvm::Value* vector, llvm::Value* at, std::int64_t used);

}  // namespace strc::codegen
