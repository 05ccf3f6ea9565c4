#pragma once
/// Filters that take numbers of a channel together as a tensor, or give them so (opt/detail/remove_reinterpret_casts.h), as filters that
/// take and give them one by one: in lanes the numbers of a tensor do not lie beside each other.

#include "elab/elaborate.h"

namespace strc::horizontal {

/// Do the items of its kernel stand for several of its channels?
bool hasTensorsOfNumbers(const elab::Elaboration&, graph::NodeId);

/// A kernel of that node that does the same with the items of its channels, without the checks that are proved (withoutProvedChecks), as
/// those of peeks at tensors are harder to prove of their numbers. Only what its `work` does: a prework has its rates, and no code.
elab::Kernel withNumbers(types::TypeTable&, const elab::Elaboration&, graph::NodeId, bool mayProve);

}  // namespace strc::horizontal
