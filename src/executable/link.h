#pragma once
/// From an object file to an executable or a shared library, by the machine's linker.

#include <string>
#include <vector>

#include "base/result.h"

namespace strc::executable {

/// A file that goes with a library; it appears together with it.
struct Companion {
    std::string path, text;
};

/// A function that a library has for its hosts, and what it is called inside.
struct Export {
    std::string name, inside;
};
/// Those of strc/library.h, as `strc build --shared` names them.
std::vector<Export> libraryFunctions(const std::string& prefix, bool hasThreads = false);

struct LinkOptions {
    std::string linker = "cc";  ///< a C compiler, which knows where the C library is
    bool isStatic = false;
    std::vector<std::string> libraries;  ///< shared ones with native functions
    bool compilesRuntime = false;  ///< for another machine: from its sources
    std::vector<Export> exports;  ///< of a library; none: an executable
    std::vector<Companion> companions;  ///< of a library
    std::string bundle;  ///< the folder of the product, where the libraries lie, too; empty: none
};

/// Links `object` (the bytes of the file) with the runtime that travels inside the compiler,
/// as an archive and as sources. The product appears at `output` when it is complete, and not at all
/// after a failure.
base::Status link(const std::string& object, const std::string& output, const LinkOptions&);

}  // namespace strc::executable
