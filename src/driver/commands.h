#pragma once
/// One function a command: does what the options say, returns the exit status. Private to driver.

#include "codegen/lower.h"
#include "driver/driver.h"
#include "driver/options.h"
#include "driver/report.h"
#include "session/load.h"

namespace strc::driver {

using session::Compilation;
using session::SourceText;
using session::Stage;

struct Call {
    const Options& options;
    const World& world;
    Reporter& reporter;

    bool interrupted() const { return world.interrupt && *world.interrupt; }
};

int runCommand(const Call&);
int buildCommand(const Call&);
int checkCommand(const Call&);
int graphCommand(const Call&);
int fmtCommand(const Call&);
int explainCommand(const Call&);
int replCommand(const Call&);

/// Reads the sources and the library and goes through the stages; what was reported has been shown.
/// `last` not reached: the call ends with the reporter's status.
Stage compileFiles(const Call&, Compilation&, Stage last,
                   std::function<void(std::string_view)> print, bool planIfPossible = false);
/// What of the options matters to code generation, with native functions called by their symbols; the program outlives it.
codegen::Options codegenOptions(const Options&, Compilation& program);
/// --time-passes: prints what was measured and has not been printed yet.
void showTimes(const Call&, base::Passes&);
class TimesAtEnd {
public:
    TimesAtEnd(const Call& call, Compilation& program) : call(call), program(program) {}
    ~TimesAtEnd() { showTimes(call, program.context.passes); }
    TimesAtEnd(const TimesAtEnd&) = delete;
    TimesAtEnd& operator=(const TimesAtEnd&) = delete;

private:
    const Call& call;
    Compilation& program;
};
/// The status of a call that did not get through the stages.
int statusOfFailure(const Call&);

/// Prints a text to standard output.
int printText(const Call&, std::string_view text);
/// Prints a text to -o FILE or standard output.
int printResult(const Call&, std::string_view text);
/// --emit=obj: what `strc build` links.
int emitObjectCommand(const Call&);
/// Goes as far as that stage and prints it: --emit, and `strc schedule`.
int emitCommand(const Call&, Emit);
/// --emit-after.
int emitAfterCommand(const Call&, base::Pass);

}  // namespace strc::driver
