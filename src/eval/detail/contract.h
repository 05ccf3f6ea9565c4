#pragma once
/// Sums of products over arrays, as ir/contraction.h says. Private to eval.

#include <array>
#include <cstddef>
#include <span>

#include "eval/detail/code.h"

namespace strc::eval {

/// They begin where their arrays do; places are inside, as the verifier has seen.
void contract(const Products&, std::byte* out, const std::byte* a, const std::byte* b,
              const std::array<const std::byte*, ir::kMostAddends>& addends);

}  // namespace strc::eval
