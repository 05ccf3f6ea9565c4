#pragma once
/// Windows and rows of several firings, transposed.

#include "codegen/detail/body_context.h"

namespace strc::codegen {

/// Writes the window of several firings to an array, column by column: the first items that firings pop, then the second ones, …
/// Of complex items that are taken apart there are twice as many.
void emitPeekColumns(BodyContext&, const Instr&);
/// Pushes what firings beside each other have made, row by row in an array, in the order of firings.
void emitPushRows(BodyContext&, const Instr&);

/// Names of functions for that begin so.
constexpr const char* kTransposition = "transpose.";
/// The same between arrays.
void emitTranspose(BodyContext&, const Instr&);

}  // namespace strc::codegen
