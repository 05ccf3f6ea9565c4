#include "driver/driver.h"

#include <new>
#include <ostream>
#include <sstream>

#include "base/assert.h"
#include "driver/detail/commands.h"
#include "driver/detail/front_end.h"

namespace strc::driver {

namespace {

std::string version() { return std::string("strc ") + strc_version() + "\n"; }

int runCall(const Call& call) {
    if (call.options.emit) return emitCommand(call, *call.options.emit);
    switch (call.options.command) {
        case Command::Run: return runCommand(call);
        case Command::Live: return liveCommand(call);
        case Command::Build: return buildCommand(call);
        case Command::Check: return checkCommand(call);
        case Command::Fmt: return fmtCommand(call);
        case Command::Opt: return optCommand(call);
        case Command::Explain: return explainCommand(call);
        case Command::Repl: return replCommand(call);
        case Command::Completion: return completionCommand(call);
        case Command::Man: return manCommand(call);
        case Command::Controls: return controlsCommand(call);
        case Command::Version: return printResult(call, version());
        case Command::Schedule: return emitCommand(call, STRC_SCHEDULE);
        case Command::Graph: return emitCommand(call, call.options.picture);
    }
    STRC_UNREACHABLE("a command that does nothing");
}

/// Where memory may run out a fault is reported in its place; elsewhere it ends here.
int runWithinMemory(const Call& call) {
    try {
        return runCall(call);
    } catch (const std::bad_alloc&) {
        call.process.err << "strc: error: out of memory [out-of-memory]\n" << std::flush;
        return kProgramFault;
    }
}

}  // namespace

int run(int argc, const char* const* argv, const Process& process) {
    Options options;
    base::Diagnostics diags;
    Reporter reporter(process);
    std::ostringstream help;
    // Who types `strc` alone on a terminal wants to talk.
    const char* const alone[] = {argc > 0 ? argv[0] : "strc", "repl"};
    if (argc <= 1 && process.inIsTerminal && process.outIsTerminal) {
        argc = 2;
        argv = alone;
    }
    if (const std::string script = scriptOf(argc > 1 ? argv[1] : ""); !script.empty()) {
        const std::string why = becomeScript(script, {argv + 2, argv + argc});
        process.err << "strc: error: " << why << "\n";
        return kProgramFault;
    }
    Parsed parsed = parseOptions(argc, argv, options, diags, help);
    reporter.setOptions(options.report);
    reporter.show(diags);
    const Call call{options, process, reporter};
    if (parsed == Parsed::Done) return printText(call, help.str());
    return parsed == Parsed::Run ? runWithinMemory(call) : reporter.status();
}

}  // namespace strc::driver
