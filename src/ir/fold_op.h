#pragma once
/// One operation on constants. Private to ir.

#include <optional>
#include <span>

#include "ir/ir.h"

namespace strc::ir {

/// The result of a pure operation, comparisons aside, whose operands are known, exactly as the evaluator computes it.
/// Empty: not foldable (a division by zero included: it has to trap when it runs).
std::optional<Value> foldOp(const Instr&, std::span<const Value* const> operands);

/// Eq … Ge of two constants of one type.
std::optional<bool> foldCompare(const Instr&, const Value&, const Value&);

}  // namespace strc::ir
