#pragma once
/// Items of the input and the output, and prints.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// Finds out which checks of rates the body needs: none where analysis has found the counts.
void chooseRateChecks(BodyContext&);
/// Arrays that are popped or pushed as they are lie in the window (the pass `copy-elision`).
void aliasItems(BodyContext&);

/// False: the instruction is none about tapes, and prints nothing.
bool emitTape(BodyContext&, const Instr&);
/// The same by ring buffers (rings.cpp).
bool emitRingTape(BodyContext&, const Instr&);

/// The place in the window of the next item (no offset) or of one further on, checked.
llvm::Value* inputIndex(BodyContext&, const Instr&, llvm::Value* offset);
/// The place of the next item that is pushed, checked.
llvm::Value* outputIndex(BodyContext&, const Instr&);
/// Where an item lies of a window in pieces (KernelFunctions::dealtIn, dealtOut); `side` is kIn or kOut.
llvm::Value* dealtItem(BodyContext&, unsigned side, llvm::Value* index);
/// Counts an item that was popped or pushed.
void advanceCounter(BodyContext&, llvm::Value* counter);
/// At the end of a firing: as many as declared?
void checkCounts(BodyContext&);
/// The words of diagnostics about rates: the function, and the filter.
std::vector<std::string> rateWords(const BodyContext&);

}  // namespace strc::codegen
