#pragma once
/// Phases of a plan as bodies of the one filter.

#include "lowered/detail/functions.h"

namespace strc::lowered {

/// The work of the filter; its prework, if `isFirst`. `header`: where the program is declared.
ir::Body phaseBody(Functions&, const plan::Plan&, const plan::Phase&, bool isFirst,
                   base::SourceRange header);

/// A function that does a phase of Plan::drain, whose firings and items are left out where State::left has no number for them.
ir::Body drainBody(Functions&, const plan::Plan&, const plan::Phase&, const std::string& name,
                   base::SourceRange header);

}  // namespace strc::lowered
