#pragma once
/// Functions of the filter that a program has become (lowered/lower.h), called from phases. Private to codegen.

#include <string>

#include "codegen/detail/phase_context.h"

namespace strc::codegen {

/// Is the program one filter with functions for the end of its input?
bool drainsItself(const plan::Plan&);

/// Calls the function of the step, a plan::StepKind::Part. Where the number of items that it has given lies.
llvm::Value* emitPart(PhaseContext&, const plan::Step&);

/// A phase of the plan's drain, of a program that drains itself, as a function of env and state.
llvm::Function* emitOwnDrain(ModuleBuilder&, const plan::Phase&, const std::string& name);

}  // namespace strc::codegen
