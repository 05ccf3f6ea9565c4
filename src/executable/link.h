#pragma once
/// From an object file to an executable, by the machine's linker.

#include <string>
#include <vector>

#include "base/result.h"

namespace strc::executable {

struct LinkOptions {
    std::string linker = "cc";  ///< a C compiler, which knows where the C library is
    bool isStatic = false;
    std::vector<std::string> libraries;  ///< shared ones with native functions
    bool compilesRuntime = false;  ///< for another machine: from its sources
};

/// Links `object` (the bytes of the file) with the runtime that travels inside the compiler,
/// as an archive and as sources. The
/// executable appears at `output` when it is complete, and not at all after a failure.
base::Status link(const std::string& object, const std::string& output, const LinkOptions&);

}  // namespace strc::executable
