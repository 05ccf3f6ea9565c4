#pragma once
/// Transformations of bodies that stand in ir, as functions on kernels.

#include "elab/elaborate.h"
#include "pass/context.h"

namespace strc::opt {

/// The pass `inline`: short functions in the bodies of filters (ir/inline.h). What code generation does with whole bodies
/// (lanes, proofs, selections) then does not end at a call.
bool callsFunctions(const elab::Kernel&);
/// False: none of them can be put in its place.
bool inlineCalls(const pass::Context&, elab::Kernel&);

/// The pass `tabulate`: built-in functions of loop counters in the bodies of filters become loads from tables (ir/tabulate.h).
bool computesFunctions(const elab::Kernel&);
bool tabulateFunctions(const pass::Context&, elab::Kernel&);

/// `fold`: constants and branches on them in all bodies that run (ir/specialize.h).
bool foldConstants(const pass::Context&, elab::Kernel&);

}  // namespace strc::opt
