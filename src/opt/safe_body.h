#pragma once
/// What can be said of a straightened body at a glance. Private to opt.

#include "elab/elaborate.h"

namespace strc::opt {

/// One block that takes and gives what it is said to, in which nothing can fail?
bool isSafeAsItIs(const elab::Kernel&);

/// Takes it an item that nobody uses? Values of the body have gone through forwardTensors.
bool dropsItems(const ir::Body&);

}  // namespace strc::opt
