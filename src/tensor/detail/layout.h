#pragma once
/// How the elements of a tensor lie in memory: densely, its dimensions in some order. Private to tensor.

#include "tensor/expand.h"
#include "tensor/node.h"

namespace strc::tensor {

/// Dimensions, from the one whose items are farthest apart to the one whose items are neighbours.
using Order = std::vector<std::size_t>;

/// How far elements of a tensor that lies row by row are apart, by dimension.
Dims denseSteps(const Dims&);
/// The same with the dimensions in that order; empty: it is row by row.
Dims stepsIn(const Order&, const Dims&);
/// The steps of images (items x channels x rows x columns) with the channels of a pixel beside each other. Empty, which means row
/// by row, for other ranks and where both orders are the same.
Dims channelsLast(const Dims&);

/// The steps between elements of a node that is memory.
Dims stepsOf(const Node& memory);
bool isRowByRow(const Node& memory);
/// Do the same elements lie in the same places?
bool areSame(const Dims& dims, const Dims& steps, const Dims& others);
Order orderOf(const Dims& steps);

/// The order in which a value would best lie: that of what it is made of; that of `channelsLast` if it is a convolution.
Order preferredOrder(const Node&);

}  // namespace strc::tensor
