#pragma once
/// Compilations that run in this process: as machine code if they can be compiled, else interpreted.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "codegen/jit.h"
#include "interp/machine.h"
#include "profile/gathered.h"
#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

using Natives = std::function<codegen::NativeAddress(const ir::Native&)>;
/// Native functions where they lie in this process, and by their names; the program outlives them.
Natives nativesHere(Compilation&);
Natives nativesBySymbol(Compilation&);

struct Code {
    codegen::Jit jit;
    std::vector<codegen::Site> sites;
    std::vector<plan::TimedSteps> timed;  ///< codegen::Module::timedSteps
    std::vector<plan::Handler> handlers;  ///< codegen::Module::handlers
};

/// Empty if something in the bodies, or this machine, is not up to it, and if it was interrupted.
std::optional<Code> makeCode(Compilation&, const Settings&, codegen::Options);

/// Why such a run of it would be interpreted, as a sentence; or empty.
std::string whyInterpreted(const Compilation&, const interp::Options&);

/// A word about what only machine code uses of what was asked for; without the device that has to be there, an error.
void checkInterpreted(Compilation&, const Settings&, const interp::Options&);

/// For a profile of a run with this code, which may be null; it has to live as long as the run.
std::unique_ptr<profile::Gathered> makeProfile(const Compilation&, const Code*,
                                               const interp::Options&);

/// Runs to the end; `code` may be null: then it is interpreted. Faults are in the compilation's context. May be
/// called again.
interp::Outcome run(Compilation&, const Code* code, const interp::Options&);

}  // namespace strc::session
