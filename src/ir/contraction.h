#pragma once
/// Op::Contract: products of matrices, convolutions and whatever else is a sum of products over loops in
/// which all places are affine. For each place of the result: its element is set to the sum, over the
/// loops without a step in it, of a * b; in any order, and with or without rounding of the products.
/// The loops stand in Instr::value.

#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace strc::ir {

struct ContractionLoop {
    std::int32_t rounds = 0;
    std::int32_t out = 0, a = 0, b = 0;  ///< steps, in elements
};

struct Contraction {
    std::int32_t out = 0, a = 0, b = 0;  ///< the first elements
    std::vector<ContractionLoop>
        loops;  ///< outermost first; no two of them reach one place of the result
};

Contraction contractionOf(const Instr&);
/// The value for an instruction: int[1 + loops][4], the first elements behind a 0, then the loops.
Value toValue(const Contraction&, types::TypeTable&);

/// The product of all rounds.
std::int64_t countProducts(const Contraction&);
/// Do all places lie inside of arrays of these lengths?
bool fits(const Contraction&, std::int64_t out, std::int64_t a, std::int64_t b);

}  // namespace strc::ir
