#pragma once
/// The passes `horizontal-fusion` and `vectorise-splitjoins`: filters of a splitjoin that do the same become one filter, and the splitter and
/// the joiner go. Steady states and what the initialisation does to all other nodes stay as they are. Programs with messages,
/// dynamic rates or a visible order of firings are left alone.

#include <optional>

#include "pass/context.h"
#include "pass/program.h"

namespace strc::horizontal {

/// Branches that are the same filter without state, each of which takes whole firings in turn, become that filter, fired more
/// often.
std::optional<pass::Program> mergeSiblings(const pass::Context&, const pass::Program&);

/// Branches that differ in constants or have state become one filter, a firing of which is one of each, each in a lane of
/// vectors (Hormati et al., "MacroSS", ASPLOS 2010, section 3.2).
std::optional<pass::Program> putInLanes(const pass::Context&, const pass::Program&);

}  // namespace strc::horizontal
