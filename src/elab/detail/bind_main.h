#pragma once
/// Gives the main stream its parameters.

#include "elab/detail/tree.h"

namespace strc::elab {

/// In: the arguments of the entry, as text. Out: the constants of `main`, and which of them take their default. False
/// after reporting an argument that is no value of its parameter's type, or that names no parameter.
bool bindMain(base::Context&, const Entry&, Instance& main);

}  // namespace strc::elab
