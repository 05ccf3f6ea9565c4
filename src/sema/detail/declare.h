#pragma once
/// Top-level declarations: their names, and the order in which they are checked.

#include "sema/detail/checker.h"

namespace strc::sema {

/// The four streams that every program has.
void declareBuiltins(Checker&);
/// A place among Program::streams, with names of its own.
StreamInfo& newStream(Checker&);
/// Enters the names of a unit's declarations; appends a record for each.
void declareUnit(Checker&, const ast::Unit&);
/// Checks the declarations, whose names have all been entered: what others see of them first.
void checkRecords(Checker&, std::span<DeclRecord* const>);
/// Makes the public maps and lists of the Program anew from the records.
void publish(Checker&);

}  // namespace strc::sema
