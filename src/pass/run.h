#pragma once
/// The pass manager: what happens around each pass, whatever the pass does.

#include <optional>
#include <string>

#include "pass/registry.h"

namespace strc::pass {

/// All passes of the levels Program and Kernel that are not disabled, in the table's order. None: nothing has changed.
/// In checked builds each program that a pass makes is verified.
std::optional<Program> runPasses(const Context&, const Program&, Table);

/// The passes of that level over one kernel that is on its way; `subject` is how lists and texts call it. Each asks before it
/// begins, so nothing has to be kept for the case that it is left out. True: some pass has changed the kernel.
bool runPasses(const Context&, elab::Kernel&, base::PassLevel, Table, const std::string& subject);

}  // namespace strc::pass
