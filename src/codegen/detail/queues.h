#pragma once
/// Items of filters with dynamic rates: in queues that the firing itself asks for more (language.md 13).

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// Where the next item lies, or one further on, once it is there.
llvm::Value* queuedInput(BodyContext&, const Instr&, llvm::Value* offset);
/// Where the next item is to be written.
llvm::Value* queuedOutput(BodyContext&, const Instr&);
/// A field of a queue (kIn or kOut), `which` bytes behind its beginning.
llvm::Value* queueEnd(BodyContext&, unsigned queue, std::size_t which);
/// Moves such an end one item further on.
void moveQueueEnd(BodyContext&, const Instr&, llvm::Value* end);
/// At the end of a firing.
void checkQueueCounts(BodyContext&);

}  // namespace strc::codegen
