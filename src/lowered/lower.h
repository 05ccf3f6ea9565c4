#pragma once
/// The lower form (docs/design/lower-form.md): a planned program as one filter. Its fields are the state of the program,
/// a struct for the fields of each filter and an array for each tape; its functions are the bodies of the filters, in which the
/// place of each item is explicit; its prework is the phase `init`, and its work a steady state. In: a plan whose phases are
/// Linear. Out: a program of one node over the same module, with the same output to the bit, for any engine or printer.

#include <optional>
#include <string>

#include "base/context.h"
#include "elab/elaborate.h"
#include "plan/plan.h"
#include "target/model.h"

namespace strc::lowered {

/// Why a program has no lower form yet: one sentence ("it has dynamic rates"), or empty if it has one.
std::string whyNot(const ir::Module&, const plan::Plan&);

struct Program {
    /// Calls of its phases say by Instr::index which node of the planned program fires.
    elab::Elaboration elaboration;
    /// With Options::scales, if the plan has one: its segments are functions of the filter (plan::StepKind::Part), and places of what
    /// is carried count from the beginning of the filter's fields (plan::Options::chunk).
    std::optional<plan::Chunk> chunk;
    /// Likewise how threads share a call of a library (plan::Options::partitioning).
    std::optional<plan::Partitioning> partitioning;
};

struct Options {
    /// The phase `scaled`, if the plan has one, becomes the filter's blocks (elab::Kernel::blocks). They have state, so whoever
    /// runs them undoes them after a fault.
    bool scales = false;
    target::Model target;  ///< whose vectors the blocks use
};

/// A chunk as the one filter has it: its functions do one slice, so that is all of it.
plan::Chunk ofOneSlice(plan::Chunk);

/// There must be a lower form.
Program lower(base::Context&, types::TypeTable&, const ir::Module&, const plan::Plan&,
              const Options&);

}  // namespace strc::lowered
