#pragma once
/// What is asked of a splitjoin before its branches become one.

#include <algorithm>
#include <vector>

#include "graph/graph.h"

namespace strc::horizontal {

/// Are all weights the same, and not 0?
inline bool isUniform(const std::vector<std::int64_t>& weights) {
    return weights[0] > 0 && std::all_of(weights.begin(), weights.end(),
                                         [&](std::int64_t weight) { return weight == weights[0]; });
}

/// Is the composite, or one around it, a feedback loop?
inline bool isInLoop(const graph::Graph& graph, graph::CompositeId id) {
    for (; id != graph::kNone; id = graph.composites[id].parent)
        if (graph.composites[id].kind == graph::CompositeKind::FeedbackLoop) return true;
    return false;
}

}  // namespace strc::horizontal
