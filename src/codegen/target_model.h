#pragma once
/// The processor that code is made for, in numbers.

#include "codegen/lower.h"
#include "target/model.h"

namespace strc::codegen {

/// Of the options' processor and target, which `knowsProcessor` has heard of. Where LLVM has no code for this machine, which nothing can be
/// made for then, the general model.
target::Model targetModel(const Options&);

}  // namespace strc::codegen
