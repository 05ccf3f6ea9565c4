#pragma once
/// A body that deals with tensors, as passes over its operations want to see it.

#include <optional>
#include <vector>

#include "elab/elaborate.h"
#include "ir/ir.h"
#include "pass/context.h"

namespace strc::opt {

/// Values of the first block that go through variables are forwarded directly, and what nobody uses is gone.
void forwardTensors(ir::Body&);
bool forwardTensors(const pass::Context&, elab::Kernel&);

/// What is known of the registers that the first block assigns.
struct TensorFacts {
    std::vector<const types::Type*> types;  ///< by register: a concrete tensor, else null
    std::vector<std::optional<types::Value>> constants;  ///< by register: scalars
    std::vector<const ir::Instr*> makers;  ///< by register; addresses are of the body
};
TensorFacts factsOf(const elab::Kernel&, types::TypeTable&);

/// Uses of some registers become uses of others: `instead`, by register, which leads to a final one. Theirs are gone then.
void substitute(ir::Body&, const std::vector<ir::Reg>& instead);

}  // namespace strc::opt
