#pragma once
/// Ordered effects of whole programs (language.md 12.6).

#include "graph/graph.h"

namespace strc::graph {

/// Can somebody see in which order nodes fire? Also true where firings cannot be undone: calls of natives, and
/// messages on their way.
bool hasVisibleOrder(const Graph&);

}  // namespace strc::graph
