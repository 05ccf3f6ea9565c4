#pragma once
/// How long a run is, as far as that is known before it: code for several threads costs time to make, which a short run never has
/// again.

#include "interp/machine.h"
#include "plan/plan.h"

namespace strc::session {

/// Could threads save more time than it takes to make code for them? True where nobody knows how long the run will be.
bool isWorthThreads(const plan::Plan&, const interp::Options&);

}  // namespace strc::session
