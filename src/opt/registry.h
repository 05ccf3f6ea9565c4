#pragma once
/// The passes of the levels Program, Kernel, Tensors and Loops with their functions, in order: passes.def as a table.

#include "pass/registry.h"

namespace strc::opt {

pass::Table passTable();

}  // namespace strc::opt
