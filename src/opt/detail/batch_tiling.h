#pragma once
/// The pass `batch-tiling`: a loop whose iterations follow from each other, as the steps of a recurrent layer do, but that
/// deals with each item of a batch alone, does all of its iterations with some of the items, then with the next ones. Threads
/// can share these parts and meet once, where they would meet in every iteration.

#include "elab/elaborate.h"
#include "pass/context.h"

namespace strc::opt {

/// Every such loop of `work`, which was made of operations on tensors. False: there is none.
bool tileBatches(const pass::Context&, elab::Kernel&);

}  // namespace strc::opt
