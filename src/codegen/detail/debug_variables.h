#pragma once
/// The variables of a body that a debugger sees. All do nothing without -g.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

void beginDebug(BodyContext&);
/// After parameters and counters have their places.
void showVariables(BodyContext&);
/// The life of a local begins where it is first used: with the instruction `at`.
void showLocal(BodyContext&, std::vector<Instr>::const_iterator at,
               std::vector<Instr>::const_iterator end);

}  // namespace strc::codegen
