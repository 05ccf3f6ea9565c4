// `strc build`: executables, libraries and object files.
#include <ostream>

#include "base/pass.h"
#include "driver/commands.h"
#include "session/build.h"

namespace strc::driver {
namespace {

class Build {
public:
    explicit Build(const Call& wanted) : call(wanted), options(wanted.options) {}

    int product() {
        TimesAtEnd times(call, program);
        if (compile()) session::build(program, options, building, options.output);
        return status();
    }

    int objectFile() {
        TimesAtEnd times(call, program);
        if (!compile()) return status();
        auto object = session::objectFile(program, options, building);
        return object ? printResult(call, *object) : status();
    }

private:
    int status() {
        call.reporter.show(program.context);
        return statusOfFailure(call);
    }

    /// What a program prints while its graph is built it prints when it starts. A library does not start:
    /// whoever builds it sees it.
    bool compile() {
        auto print = [this](std::string_view text) {
            if (options.isShared)
                call.world.out << text << std::flush;
            else
                building.printed += text;
        };
        building.interrupted = [this] { return call.interrupted(); };
        return compileFiles(call, program, Stage::Planned, print) == Stage::Planned;
    }

    const Call& call;
    const Options& options;
    Compilation program;
    session::Building building;
};

}  // namespace

int buildCommand(const Call& call) { return Build(call).product(); }

int emitObjectCommand(const Call& call) { return Build(call).objectFile(); }

}  // namespace strc::driver
