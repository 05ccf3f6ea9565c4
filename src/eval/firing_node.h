#pragma once
/// Who fired where a body faulted that does the firings of a whole program (lowered/lower.h).

#include <cstdint>

#include "eval/eval.h"

namespace strc::eval {

/// The node that the innermost call on the way to the last trap names (ir::Instr::index); ir::kNone: none of them names one.
std::uint32_t firingNode(const Machine&);

}  // namespace strc::eval
