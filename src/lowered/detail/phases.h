#pragma once
/// Phases of a plan as bodies of the one filter.

#include "lowered/detail/functions.h"

namespace strc::lowered {

/// `header`: where the program is declared. `isFirst`: it is the prework.
ir::Body phaseBody(Functions&, const plan::Plan&, const plan::Phase&, bool isFirst,
                   base::SourceRange header);

}  // namespace strc::lowered
