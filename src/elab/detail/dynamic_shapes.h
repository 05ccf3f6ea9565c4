#pragma once
/// Programs of which only the run can tell the shapes of some tensors. Private to elab.

#include "elab/elaborate.h"

namespace strc::elab {

/// Kernels with tensors get code in which tensors are values, and a layout of their fields in which each of them is a
/// name (eval/tensors.h). The states stay as they are: Kernel::initialOffsets.
void leaveTensors(const ir::Module&, types::TypeTable&, Elaboration&);

}  // namespace strc::elab
