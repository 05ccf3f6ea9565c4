#pragma once
/// The pass `batch-tiling`: a loop whose rounds follow from each other, as the steps of a recurrent layer do, but that
/// deals with each item of a batch alone, does all of its rounds with some of the items, then with the next ones. Threads
/// can share these parts and meet once, where they would meet in every round.

#include "elab/elaborate.h"
#include "pass/context.h"

namespace strc::opt {

/// Every such loop of `work`, which was made of operations on tensors. False: there is none.
bool divideBatches(const pass::Context&, elab::Kernel&);

}  // namespace strc::opt
