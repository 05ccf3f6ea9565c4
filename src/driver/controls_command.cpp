// `strc controls`: what controllers of OSC and MIDI turn, as lines that programs read.
#include <ostream>

#include "driver/detail/commands.h"
#include "driver/detail/controllers.h"

namespace strc::driver {

namespace {

/// Until both have ended, nobody reads any more, or it is interrupted.
void printChanges(const Call& call, Controllers& controllers) {
    while (!call.interrupted() && call.process.out && controllers.areOpen()) {
        for (const controls::Change& each : controllers.wait(-1))
            call.process.out << controls::textOf(each) << '\n';
        for (const std::string& line : controllers.takeNews())
            call.process.err << "strc controls: " << line << '\n' << std::flush;
        call.process.out << std::flush;
    }
}

}  // namespace

int controlsCommand(const Call& call) {
    base::Diagnostics diags;
    Controllers controllers(call.options, diags);
    if (!controllers.areWanted())
        diags.add(base::Diag::BadCommandLine)
            << "there is nothing to listen to: --osc PORT or --midi FILE";
    const int status = opened(call, controllers, diags);
    if (status != kFine) return status;
    printChanges(call, controllers);
    return statusOfFailure(call);
}

}  // namespace strc::driver
