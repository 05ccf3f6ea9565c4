#pragma once
/// One function a command: does what the options say, returns the exit status. Private to driver.

#include <string_view>

#include "driver/detail/options.h"
#include "driver/detail/report.h"
#include "driver/driver.h"

namespace strc::driver {

struct Call {
    const Options& options;
    const Process& process;
    Reporter& reporter;

    bool interrupted() const { return process.interrupt && *process.interrupt; }
};

int runCommand(const Call&);
int liveCommand(const Call&);
int buildCommand(const Call&);
int checkCommand(const Call&);
int fmtCommand(const Call&);
int optCommand(const Call&);
int explainCommand(const Call&);
int replCommand(const Call&);
int completionCommand(const Call&);
int manCommand(const Call&);
int controlsCommand(const Call&);
/// Goes as far as that needs and prints it: --emit, --emit-after, `strc schedule` and `strc graph`.
int emitCommand(const Call&, strc_product);

/// The status of a call that did not get through the stages.
int statusOfFailure(const Call&);

/// Prints a text to standard output.
int printText(const Call&, std::string_view text);
/// Prints a text to -o FILE or standard output.
int printResult(const Call&, std::string_view text);

}  // namespace strc::driver
