#include "vector/columns.h"

#include <algorithm>

namespace strc::vector {

bool usesColumns(const graph::Rates& rates) {
    return rates.pop.max > kShuffled || (rates.pop.max > 1 && rates.peek.max > rates.pop.max);
}

std::int64_t windowOf(const graph::Rates& rates, std::int64_t lanes) {
    return (lanes - 1) * rates.pop.max + std::max(rates.peek.max, rates.pop.max);
}

std::int64_t columnLength(const graph::Rates& rates, std::int64_t lanes) {
    return (windowOf(rates, lanes) + rates.pop.max - 1) / rates.pop.max;
}

std::int64_t columnItems(const graph::Rates& rates, std::int64_t lanes) {
    return rates.pop.max * columnLength(rates, lanes);
}

}  // namespace strc::vector
