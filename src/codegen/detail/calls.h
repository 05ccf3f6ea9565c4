#pragma once
/// Calls out of a body: natives, filters whose shapes only the run knows, and messages.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

void emitNative(BodyContext&, const Instr&);
void emitDynamicShape(BodyContext&, const Instr&);
void emitSend(BodyContext&, const Instr&);

}  // namespace strc::codegen
