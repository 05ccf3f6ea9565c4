#pragma once
/// Shared libraries of strc's own that programs load.

#include <string>

namespace strc::session {

/// Beside libstrc where it is installed, else where it was built.
std::string ownLibrary(const char* file);

}  // namespace strc::session
