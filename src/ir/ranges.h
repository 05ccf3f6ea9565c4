#pragma once
/// Arithmetic of intervals of ints. Private to ir.

#include <span>
#include <utility>
#include <vector>

#include "ir/bounds.h"

namespace strc::ir {

Range join(Range, Range);
bool isWithin(Range inner, Range outer);
/// `next` with each end that moved on from `old` taken to the next of the thresholds (ascending), or to that of all ints.
Range widen(Range old, Range next, const std::vector<std::int64_t>& thresholds);

bool isComparison(Op);
/// The ranges of two ints, narrowed by a comparison of them that holds, or does not. An empty range means that this is impossible.
std::pair<Range, Range> assumed(Op, bool holds, Range left, Range right);

/// The range of the result of an operation on ints; `from` is the type of the first operand.
Range rangeOf(const Instr&, std::span<const Range> operands, const Type* from);

}  // namespace strc::ir
