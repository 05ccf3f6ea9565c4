#pragma once
/// Tensors whose elements lie in memory, a step apart along each dimension: memory, and views of it. Private to tensor.

#include <optional>

#include "tensor/node.h"

namespace strc::tensor {

/// Its elements are as far apart as the steps say, from the first one on.
struct Strided {
    const Node* memory = nullptr;
    std::int64_t first = 0;
    Dims steps;  ///< by dimension
};

/// None: it has to be computed, or its elements do not lie so. What casts widen (isWidening) is where it was.
std::optional<Strided> strided(const Node&);

}  // namespace strc::tensor
