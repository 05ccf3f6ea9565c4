#pragma once
/// How many firings a vector takes.

#include <vector>

#include "vector/firings.h"

namespace strc::vector {

/// Bytes of the columns of a window, and of the rows of what is pushed: the first level of caches. With half of it sums, which wait
/// for themselves, were done in too few vectors.
constexpr std::int64_t kMostOfItems = 32 * 1024;

/// Firings of a body that may be done at once, the best number first; empty: they are done one by one.
std::vector<unsigned> widthsOf(const FiringFacts&, const ir::Body& firing, const ir::Varying&);

/// Which of these widths a step of so many firings takes; 0: none.
unsigned bestWidth(const std::vector<unsigned>& widths, std::int64_t firings);

}  // namespace strc::vector
