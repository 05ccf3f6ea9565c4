#pragma once
/// The signatures of passes, and rows that say which function a pass is. passes.def has the rows; opt/registry.cpp, which
/// knows all folders with passes, makes the table of it.

#include <optional>
#include <span>

#include "base/pass.h"
#include "pass/context.h"
#include "pass/program.h"

namespace strc::pass {

/// Another program with the same meaning; none: there is nothing to do. The pass asks for each place that it changes
/// (base::PassRun), so that --opt-bisect-limit counts these.
using ProgramFunction = std::optional<Program>(const Context&, const Program&);

/// Changes one kernel in place. False: nothing has changed.
using KernelFunction = bool(const Context&, elab::Kernel&);

struct Row {
    base::Pass id;
    ProgramFunction* onProgram = nullptr;  ///< of level Program
    KernelFunction* onKernel = nullptr;  ///< of the levels Kernel, Tensors, Loops
    /// A cheap question: may the pass have something to do? Where it has not it is not counted. Null: it may.
    bool (*concerns)(const elab::Kernel&) = nullptr;
};

/// In order.
using Table = std::span<const Row>;

}  // namespace strc::pass
