#pragma once
/// Finds additions and bounds that can be applied to a sum of products before it is written (ir/contraction.h). Private to tensor.

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

/// The epilogue of a node that adds a bias or residual to a product or convolution, or bounds it as relu does. None: the
/// node does something else.
std::optional<Epilogue> epilogueOf(const Node&);

}  // namespace strc::tensor
