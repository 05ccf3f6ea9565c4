#pragma once
/// The command line as a library: arguments in, exit status out. docs/command-line.md describes it to
/// users. Nothing here ends the process, and nothing but the given streams is written to, except the
/// items of an open output that goes to standard output.

#include <iosfwd>

namespace strc::driver {

/// The process that a call serves.
struct Process {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool outIsTerminal = false;
    bool errIsTerminal = false;
    volatile bool* interrupt =
        nullptr;  ///< set by Ctrl-C: what runs ends, with its files completed
    bool inIsTerminal = false;
};

enum ExitStatus : int {
    kFine = 0,
    kProgramFault = 1,  ///< of the program or its run
    kWrongCall = 2,
    kCompilerFault = 70,
    kInterrupted = 130,  ///< by Ctrl-C; the process says 128 + SIGTERM if it was that signal
};

/// Runs `strc` with the given arguments (argv[0] included).
int run(int argc, const char* const* argv, const Process&);

}  // namespace strc::driver
