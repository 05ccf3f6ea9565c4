#pragma once
/// Fields that are tensors and never change. Private to elab.

#include "eval/eval.h"
#include "tensor/expand.h"

namespace strc::elab {

/// After init: the tensors among the fields that no firing changes leave the state, which becomes shorter, and are
/// stored arrays of `code`, the code that `run` has run. All instances that share the kernel share them.
void storeConstants(eval::Instance& run, ir::StreamCode& code, tensor::Fields&, types::TypeTable&);

}  // namespace strc::elab
