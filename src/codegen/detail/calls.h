#pragma once
/// Calls out of a body: natives, filters whose shapes only the run knows, and messages.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// A call of a C function (language.md 15.3).
void emitNative(BodyContext&, const Instr&);
/// A call of a filter whose shapes only the run knows; its operands are memory.
void emitDynamicShape(BodyContext&, const Instr&);
/// A message to a portal (language.md 14); defined in messages.cpp.
void emitSend(BodyContext&, const Instr&);

}  // namespace strc::codegen
