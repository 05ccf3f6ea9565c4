#pragma once
/// The lower form (docs/design/lower-form.md): a planned program as one filter. Its fields are the state of the program,
/// a struct for the fields of each filter and an array for each tape; its functions are the bodies of the filters, in which the
/// place of each item is explicit; its prework is the phase `init`, and its work a steady state. In: a plan whose phases are
/// Linear. Out: a program of one node over the same module, with the same output to the bit, for any engine or printer.

#include <string>

#include "base/context.h"
#include "elab/elaborate.h"
#include "plan/plan.h"

namespace strc::lowered {

/// Why a program has no lower form yet: one sentence ("it has dynamic rates"), or empty if it has one.
std::string whyNot(const ir::Module&, const plan::Plan&);

/// There must be a lower form.
elab::Elaboration lower(base::Context&, types::TypeTable&, const ir::Module&, const plan::Plan&);

}  // namespace strc::lowered
