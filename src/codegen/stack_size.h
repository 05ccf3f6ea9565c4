#pragma once
/// The memory that code for a body needs.

#include <cstdint>

#include "ir/ir.h"

namespace strc::codegen {

/// Bytes of its own arrays and structs whose sizes are known.
std::int64_t bytesOfArrays(const ir::Body&);

/// Bytes on the stack, at most, whatever the processor.
std::int64_t mostStackBytes(const ir::Body&);

}  // namespace strc::codegen
