#pragma once
/// The parts of a program, lowered one after the other.

#include "lower/detail/scope.h"

namespace strc::lower::detail {

/// Runs all static items; then globals are final.
void lowerStatics(ModuleScope&);
/// Functions of packages and prototypes of natives, in their final form.
void lowerPackages(ModuleScope&);
/// A function or handler of a stream, or of a package (then `stream` is null).
ir::Body lowerFunction(ModuleScope&, StreamScope* stream, const FunctionInfo&);
/// Its name, parameters and types; of a stream that is not wanted the name alone.
void declareStream(ModuleScope&, const StreamInfo&, bool wanted, ir::StreamCode&);
void lowerStream(ModuleScope&, const StreamInfo&, ir::StreamCode&);

}  // namespace strc::lower::detail
