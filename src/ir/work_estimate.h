#pragma once
/// Estimates how much a firing computes, to compare filters with each other. In: a specialised body. Out: operations on scalars
/// or vectors, of which a processor does some in each cycle; a division counts for several, a function of math for many.

#include "ir/ir.h"

namespace strc::ir {

/// `code` has the functions that the body may call. Loops whose trip count is unknown are taken to make a few iterations.
double estimateWork(const StreamCode& code, const Body&);

}  // namespace strc::ir
