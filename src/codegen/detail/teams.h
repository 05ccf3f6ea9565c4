#pragma once
/// What threads of a device do together (ops.def). Private to codegen.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// False: it is no such operation.
bool emitTeam(BodyContext&, const Instr&);

}  // namespace strc::codegen
