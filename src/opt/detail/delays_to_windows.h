#pragma once
/// The pass `delays-to-windows`: a filter whose only state are items that it popped a firing or more ago looks at them again
/// instead. Its window begins so many items earlier, on a tape that begins with what the fields began with; then it has no
/// state, and its firings can be done side by side.

#include <optional>

#include "pass/context.h"
#include "pass/program.h"

namespace strc::opt {

std::optional<pass::Program> delaysToWindows(const pass::Context&, const pass::Program&);

}  // namespace strc::opt
