#pragma once
/// The passes `linear-combination` and `frequency` (docs/design/linear.md). Steady states and what the initialisation does to all
/// other nodes stay as they are. Programs with messages, dynamic rates or a visible order of firings are left alone.

#include <optional>

#include "pass/context.h"
#include "pass/program.h"

namespace strc::linear {

/// Neighbouring linear filters, with the splitters and joiners between them, become one filter where that saves work.
std::optional<pass::Program> combineFilters(const pass::Context&, const pass::Program&);

/// Long FIR filters get code for many firings at once (frequency.h), if sums may be rounded otherwise.
std::optional<pass::Program> useSpectra(const pass::Context&, const pass::Program&);

}  // namespace strc::linear
