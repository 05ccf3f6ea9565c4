#pragma once
/// Balance equations and initialisation counts (language.md 12.2, 12.3). Knows graphs only, not what
/// kernels do: testable on graphs built by hand. Method: E. A. Lee, D. G. Messerschmitt, "Static
/// Scheduling of Synchronous Data Flow Programs for Digital Signal Processing", 1987, sections II-III.

#include <optional>

#include "base/context.h"
#include "graph/graph.h"

namespace strc::sched {

/// Repetition vector of every static island and the minimal initialisation counts. Peek rates have
/// no part in the balance. Empty after reporting: inconsistent rates (108, naming the splitjoin, loop
/// or edge and the rates on both sides), deadlock (109, 111, with the loop and what would mend it),
/// overflow (110), disconnected parts (104).
std::optional<graph::Repetitions> balance(base::Context&, const graph::Graph&);

}  // namespace strc::sched
