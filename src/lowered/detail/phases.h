#pragma once
/// Phases of a plan as bodies of the one filter.

#include <optional>

#include "lowered/detail/functions.h"

namespace strc::lowered {

/// The work of the filter; its prework, if `isFirst`. `header`: where the program is declared.
ir::Body phaseBody(Functions&, const plan::Plan&, const plan::Phase&, bool isFirst,
                   base::SourceRange header);

/// The phase `scaled` as elab::Blocks::work, with firings in vectors and small state in variables, as far as passes of the context
/// are enabled.
ir::Body blocksBody(Functions&, base::Context&, const plan::Plan&, base::SourceRange header);

/// A function that does a phase of Plan::drain, whose firings and items are left out where State::left has no number for them.
ir::Body drainBody(Functions&, const plan::Plan&, const plan::Phase&, const std::string& name,
                   base::SourceRange header);

/// A function of a boolean: does setup and init of the filters again that depend on this open parameter, in memory beside their
/// fields; what these make of parameters becomes theirs if that is true. None: there are none.
std::optional<ir::Body> updateBody(Functions&, const plan::Plan&, std::uint32_t slot,
                                   const std::string& name, base::SourceRange header);

}  // namespace strc::lowered
