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
/// What two compared ints are, if the comparison holds or if it does not; an empty range: that cannot be.
std::pair<Range, Range> assumed(Op, bool holds, Range left, Range right);

/// Of an operation whose result is an int; `from`: type of the first operand.
Range rangeOf(const Instr&, std::span<const Range> operands, const Type* from);

}  // namespace strc::ir
