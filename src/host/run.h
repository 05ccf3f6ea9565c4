#pragma once
/// Runs a compiled program in this process, with the files of the world: what strc_execute does, for the
/// same options and with the same outcome and messages as the interpreter (interp/machine.h).

#include <cstddef>
#include <vector>

#include "base/context.h"
#include "codegen/lower.h"
#include "interp/machine.h"
#include "plan/plan.h"

struct strc_fault;
struct strc_program;

namespace strc::host {

/// What a compiled program leaves to the interpreter, as a sentence ("it limits its steps"); or empty.
std::string whyNot(const interp::Options&);

/// What a check that failed has to say, with the instance's path.
void reportFault(base::Context&, const graph::Graph&, const std::vector<codegen::Site>&,
                 const strc_fault&);

/// The values of the parameters that the program leaves open (strc_env::parameters).
std::vector<std::byte> openParameters(const elab::Elaboration&);

/// What the plan was made of, before passes.
struct Program {
    const ir::Module& module;
    const elab::Elaboration& elaboration;
    const graph::Repetitions& repetitions;
    types::TypeTable& types;
};

/// Runs to the end; firings are counted by the quota. Faults are reported in Context::diags with the instance's path. Files are flushed
/// and closed whatever the end.
interp::Outcome run(base::Context&, const plan::Plan&, const Program&, const strc_program&,
                    const std::vector<codegen::Site>&, const interp::Options&);

}  // namespace strc::host
