#pragma once
/// The passes `horizontal-fusion` and `vectorise-splitjoins`: filters of a splitjoin that do the same become one filter, and the splitter and
/// the joiner go. The first: they are the same filter without state, and each takes whole firings in turn; then it is
/// that filter, fired more often. The second: they differ in constants or have state; then a firing is one of each, each in
/// a lane of vectors (Hormati et al., "MacroSS", ASPLOS 2010, section 3.2).
/// In: an elaborated, balanced program. Out: the same program with fewer nodes, for code generation; none if nothing changes.

#include <optional>

#include "base/context.h"
#include "elab/replace.h"

namespace strc::siblings {

/// Steady states and what the initialisation does to all other nodes stay as they are. Programs with messages, dynamic
/// rates or a visible order of firings are left alone.
std::optional<elab::Improved> improve(base::Context&, const ir::Module&, const elab::Elaboration&,
                                      const graph::Quota&);

}  // namespace strc::siblings
