#pragma once
/// The initialisation phase (language.md 12.3) and deadlock (12.4, 14.5).

#include "base/context.h"
#include "graph/graph.h"

namespace strc::sched {

/// Fills Repetitions::init, given the rest. False after reporting.
bool initialise(base::Context&, const graph::Graph&, graph::Repetitions&);

}  // namespace strc::sched
