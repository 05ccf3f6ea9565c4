#pragma once
/// What is known of a body when code is made: values that depend on stored arrays and constants alone.

#include <vector>

#include "elab/elaborate.h"
#include "opt/detail/tensor_body.h"

namespace strc::opt {

/// By register, of those that the first block assigns: does it depend on nothing else? Scalars, lists of numbers and tensors.
std::vector<bool> findConstants(const elab::Kernel&);
/// The array whose tensor the instruction loads from a field; null: it is none whose values are known.
const ir::StoredArray* storedOf(const elab::Kernel&, const ir::Instr&);
/// By register: how often it is used.
std::vector<int> countUses(const ir::Body&);

}  // namespace strc::opt
