#pragma once
/// What a unrolled body does with its items. Private to opt.

#include "elab/elaborate.h"

namespace strc::opt {

/// One block that takes and gives what it is said to, and computes with no tensors, so nothing in it can fail?
bool forwardsItems(const elab::Kernel&);

/// Takes it an item that nobody uses? Values of the body have gone through forwardTensors.
bool dropsItems(const ir::Body&);

}  // namespace strc::opt
