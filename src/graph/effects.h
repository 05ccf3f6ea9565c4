#pragma once
/// Ordered effects of whole programs (language.md 12.6).

#include "graph/graph.h"

namespace strc::graph {

/// Does the output depend on the order in which nodes fire? Also true where firings cannot be undone: calls of natives, and
/// messages that have been sent.
bool hasVisibleOrder(const Graph&);
/// The same if whoever runs it minds the order that messages ask for, and can undo them.
bool hasVisibleOrderBesidesMessages(const Graph&);

}  // namespace strc::graph
