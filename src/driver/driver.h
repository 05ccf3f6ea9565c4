#pragma once

#include <iosfwd>

namespace strc::driver {

/// The command line as a function: runs `strc` with the given arguments (argv[0] included), prints
/// only to the given streams and returns the exit code.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace strc::driver
