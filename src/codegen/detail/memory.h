#pragma once
/// Variables, arrays and structs, and the room for them.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// False: the instruction is none about memory.
bool emitMemory(BodyContext&, const Instr&);

/// Does the local get its memory from declareLarge?
bool isLarge(const BodyContext&, std::size_t local);
/// Where the body has begun: arrays too large for a frame that is made before anybody can ask.
void declareLarge(BodyContext&);
/// Asks for stack before the body `needy` begins, if it has much on it or in any case (`always`); `name` says in the fault
/// what needs it.
void needStack(BodyContext&, const ir::Body& needy, base::SourceRange, std::string name,
               bool always = false);

}  // namespace strc::codegen
