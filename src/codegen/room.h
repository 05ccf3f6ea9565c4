#pragma once
/// The memory on the stack that code for a body needs.


#include <cstdint>

#include "ir/ir.h"

namespace strc::codegen {

/// Bytes on the stack, at most, whatever the processor.
std::int64_t mostRoom(const ir::Body&);

}  // namespace strc::codegen
