#pragma once
/// Where a sum of products could be written straight into the padded image of a convolution behind it (the pass `fuse-padding`).
/// Both look at bodies of one block, whose values have been forwarded (forwardTensors). Private to opt.

#include "ir/ir.h"

namespace strc::opt {

/// Is what is pushed a sum of products, with what a norm, a bias and bounds make of it?
bool pushesSum(const ir::Body&);
/// Does the item that is popped go into a padded image of a convolution, and nowhere else?
bool padsItem(const ir::Body&);

}  // namespace strc::opt
