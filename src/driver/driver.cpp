#include "driver/driver.h"

#include <new>
#include <ostream>

#include "driver/commands.h"

namespace strc::driver {

namespace {

int runCall(const Call& call) {
    if (call.options.emit == Emit::Object) return emitObjectCommand(call);
    if (call.options.emit) return emitCommand(call, *call.options.emit);
    switch (call.options.command) {
        case Command::Run: return runCommand(call);
        case Command::Build: return buildCommand(call);
        case Command::Check: return checkCommand(call);
        case Command::Fmt: return fmtCommand(call);
        case Command::Explain: return explainCommand(call);
        case Command::Version: return printResult(call, "strc " STRC_VERSION "\n");
        case Command::Schedule: return emitCommand(call, Emit::Schedule);
        case Command::Graph: return graphCommand(call);
    }
    STRC_UNREACHABLE("a command that does nothing");
}

/// Where memory may run out a fault is reported in its place; elsewhere it ends here.
int runWithinMemory(const Call& call) {
    try {
        return runCall(call);
    } catch (const std::bad_alloc&) {
        call.world.err << "strc: error: out of memory [out-of-memory]\n" << std::flush;
        return kProgramFault;
    }
}

}  // namespace

int run(int argc, const char* const* argv, const World& world) {
    Options options;
    base::Context context;
    Reporter reporter(world);
    Parsed parsed = parseOptions(argc, argv, options, context.diags, world.out);
    reporter.setOptions(options.report);
    reporter.show(context);
    if (parsed != Parsed::Run) return reporter.status();
    return runWithinMemory({options, world, reporter});
}

}  // namespace strc::driver
