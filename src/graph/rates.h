#pragma once
/// Rates of several firings.

#include "graph/graph.h"

namespace strc::graph {

inline Rate times(Rate rate, std::int64_t firings) {
    rate.min *= firings;
    if (rate.max != kUnbounded) rate.max *= firings;
    if (rate.average >= 0) rate.average *= firings;
    return rate;
}

/// Of so many firings that are done as one and share nothing: what peeks sees as much further as it takes more.
inline Rates times(const Rates& rates, std::int64_t firings) {
    return {times(rates.pop, firings), times(rates.peek, firings), times(rates.push, firings)};
}

}  // namespace strc::graph
