#pragma once
/// Questions about blocks of a body, with all that stands inside of them. Private to tensor.

#include <functional>
#include <vector>

#include "ir/ir.h"

namespace strc::tensor {

/// Is there an instruction of which it holds?
bool anyIn(const ir::Body&, ir::BlockId, const std::function<bool(const ir::Instr&)>&);

/// Does the block end in another place than its end?
bool leaves(const ir::Body&, ir::BlockId);

/// Local variables with tensors that get another value or shape in the blocks of a control structure.
std::vector<ir::VarRef> tensorsStoredIn(const ir::Body&, const ir::Instr& control);

/// Is a tensor among the operands or the result of the call of a native function, whose memory has no name yet?
bool isCallWithTensors(const ir::Body&, const ir::Instr& call);

}  // namespace strc::tensor
