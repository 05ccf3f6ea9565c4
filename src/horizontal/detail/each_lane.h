#pragma once
/// A filter of a program in lanes that cannot be in vectors: a firing of it is one of each lane, one after the other
/// (vector/each_lane.h).

#include "horizontal/merge.h"

namespace strc::horizontal {

/// Its checks may fail, as those of one lane do (strc/lanes.h). Otherwise as `merge` of `lanes` instances of one filter; Merged::fields are arrays in which each lane's lies whole.
Merged mergeInTurn(types::TypeTable&, const ir::Module&, const elab::Elaboration&, graph::NodeId,
                   std::int64_t lanes, bool mayProve);

}  // namespace strc::horizontal
