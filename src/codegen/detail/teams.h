#pragma once
/// What threads of a device do together (ops.def). Private to codegen.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// False: it is no such operation. The index of a wait is the size of the team, 32 or STRC_DEVICE_THREADS; an exchange of
/// threads whose numbers differ by 32 or more is one of a block.
bool emitTeam(BodyContext&, const Instr&);

}  // namespace strc::codegen
