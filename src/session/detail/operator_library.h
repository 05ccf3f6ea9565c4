#pragma once
/// `--kernels`: libraries that do operators on tensors.

#include <optional>
#include <string>
#include <vector>

#include "codegen/lower.h"
#include "session/pipeline.h"
#include "session/settings.h"

namespace strc::session {

/// Who asks: this process, an executable, or somebody who only looks at what would be.
enum class KernelsFor : std::uint8_t { Here, Executable, Looking };

/// What the settings ask for. None: code is generated for everything, as asked, or since nothing else is there for who
/// leaves the choice to the compiler; or there were errors.
std::optional<codegen::OperatorLibrary> kernelLibrary(Compilation&, const Settings&, KernelsFor);

/// A word about a library that was asked for and has nothing to do.
void checkKernels(Compilation&, const codegen::Options&, const codegen::Module&);

/// Such a word if the program is interpreted, with the reason.
void checkKernels(Compilation&, const Settings&, const std::string& why);

/// The files that the library consists of.
std::vector<std::string> kernelFiles(const Settings&);

/// Who does which operator, a line each; empty if nothing was asked for.
std::string printKernels(Compilation&, const Settings&);

}  // namespace strc::session
