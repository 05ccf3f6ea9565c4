#pragma once
/// Which parts a product is divided into (`--split`). Private to tensor.

#include <cstdint>
#include <optional>

#include "ir/contraction.h"

namespace strc::tensor {

/// Parts of so many iterations of the outermost loop that is summed up: the channels of an image, or what the factors of a matrix
/// product share. None: it has no more.
std::optional<ir::LoopParts> partsOfSums(const ir::Contraction&, std::int64_t trips);

/// What two factors have in memory.
struct FactorBytes {
    std::int64_t a = 0, b = 0;
};

/// So many parts, one for each process, along the loop of the result with which the product is done soonest by a simple model of products,
/// and of what processes send each other; of loops that are alike the one that divides the larger factor. None: one process
/// does it as soon, or nearly.
std::optional<ir::LoopParts> partsThatPay(const ir::Contraction&, std::int64_t parts,
                                          std::int64_t elementBytes, const FactorBytes&);

}  // namespace strc::tensor
