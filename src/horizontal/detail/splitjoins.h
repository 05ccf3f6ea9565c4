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

}  // namespace strc::horizontal
