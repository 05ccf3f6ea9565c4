#pragma once
/// The pass `inline`: short functions in the bodies of filters (ir/inline.h). What code generation does with whole bodies
/// (lanes, proofs, selections) then does not end at a call.

#include <optional>

#include "elab/elaborate.h"

namespace strc::elab {

/// The same program for code generation alone; none if nothing changes.
std::optional<Elaboration> inlineFunctions(base::Context&, const ir::Module&, const Elaboration&);

}  // namespace strc::elab
