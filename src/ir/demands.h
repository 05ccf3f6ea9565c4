#pragma once
/// Turns the requirements of a filter that is initialised at the start into checks of the run instead of the compiler.
///
/// Such a Require has Instr::flag, Instr::value names the stream that its text is about, and Instr::index says how many
/// composites above the filter the stream is that requires it.

#include <string>

#include "ir/ir.h"

namespace strc::ir {

/// All that the code requires, unless that has been said of it.
void demandLate(StreamCode&, const std::string& subject, std::uint32_t above = 0);
/// Texts without what only the run knows, for which "..." stands: nothing makes strings for them then.
void settleTexts(StreamCode&);
/// The constant text that replaces the text of a Require that the run checks.
std::string demandText(const Body&, const Instr&);

}  // namespace strc::ir
