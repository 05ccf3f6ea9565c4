#pragma once
/// Tables in place of built-in functions of loop counters: `cos(pi * (2 * x + 1) * u / 16)` in loops that count x and u from
/// constants to constants has 64 values, which are known when the program is compiled.
///
/// In: a body with concrete types. A value that depends on counters of counted loops and on constants alone, and is computed
/// by a built-in function that costs more than a load, becomes an element of a constant array with one dimension for each
/// of those counters. `foldOp` computes the elements, so they have the evaluator's bits. Arithmetic that is done to such a
/// value goes into the table as long as it does not make the table larger.
/// Left alone: values with more than `mostElements` elements, loops whose trip count is not a constant, locals with several
/// stores, and whatever could trap.

#include <cstdint>

#include "ir/ir.h"

namespace strc::ir {

constexpr std::int64_t kMostTableElements = 4096;

/// The number of values that were replaced. Deterministic; the body verifies afterwards.
int tabulate(Body&, types::TypeTable&, std::int64_t mostElements = kMostTableElements);

}  // namespace strc::ir
