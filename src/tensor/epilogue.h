#pragma once
/// What is done with a sum of products before it is written (ir/contraction.h). Private to tensor.

#include <optional>
#include <vector>

#include "ir/contraction.h"
#include "tensor/node.h"

namespace strc::tensor {

struct Epilogue {
    NodePtr sum;  ///< of products; null: the node itself
    std::vector<NodePtr> addends;  ///< in memory, or sums that come to be there
    ir::Bounds bounds;
};

/// Of a product or convolution, to which a bias or residual may be added and bounds put, as relu does. None: it is
/// something else.
std::optional<Epilogue> epilogueOf(const Node&);

}  // namespace strc::tensor
