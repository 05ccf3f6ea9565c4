#pragma once
/// Loops over tensors whose iterations are known, written out.

#include <optional>
#include <vector>

#include "elab/elaborate.h"
#include "pass/context.h"

namespace strc::opt {

/// The body as one block, in which every branch and every end of a loop is known when such tensors arrive; empty: there
/// are others, or it would have more instructions than `most`.
std::optional<ir::Body> unrolled(const elab::Kernel&,
                                 const std::vector<const types::Type*>& arriving, std::size_t most,
                                 types::TypeTable&);

/// The same of `work`, whatever its size, when the items are what the filter says. False: it stays as it is.
bool unroll(const pass::Context&, elab::Kernel&);

}  // namespace strc::opt
