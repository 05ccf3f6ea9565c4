#pragma once
/// Windows and rows of several firings, transposed.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

void emitPeekColumns(BodyContext&, const Instr&);
void emitPushRows(BodyContext&, const Instr&);

}  // namespace strc::codegen
