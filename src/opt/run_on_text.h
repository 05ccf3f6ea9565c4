#pragma once
/// Passes over the text form of the IR (ir/text.h), so that a pass can be tried and tested by itself: `strc opt`.

#include <optional>
#include <span>
#include <string>

#include "base/context.h"
#include "base/pass.h"
#include "elab/elaborate.h"

namespace strc::opt {

/// A filter of a text as elaboration would hand it on, as far as its code says. Values of constants and fields are not known.
elab::Kernel kernelOf(ir::StreamCode);

/// Can the pass be run on a text? It is a function on kernels or on programs.
bool runsOnText(base::Pass);

/// The text of a source after those passes, which run in that order: over the program, if it is one (pass/text.h), else over each
/// filter with a `work`. In between the text is well formed. None: the source is not, or a pass needs more than it says; that has been reported where it stands.
std::optional<std::string> runOnText(base::Context&, base::BufferId, std::span<const base::Pass>);

}  // namespace strc::opt
