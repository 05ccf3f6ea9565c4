// `strc build`: executables and libraries.
#include <ostream>

#include "driver/detail/compiler.h"
#include "driver/detail/front_end.h"

namespace strc::driver {

int buildCommand(const Call& call) {
    setUpKernels(call.options.valueOf("kernels"));
    Compiler compiler(call);
    compiler.set("no-interpret");
    compiler.addSources();
    // What a program prints while its graph is built it prints when it starts. A library does not start:
    // whoever builds it sees it.
    Print print;
    const Options& options = call.options;
    if (options.has("shared") || options.has("plugin") || options.has("gnuradio"))
        print = [&](std::string_view text) { call.process.out << text << std::flush; };
    if (compiler.compile(STRC_STAGE_PLANNED, print)) compiler.build(call.options.output);
    return statusOfFailure(call);
}

}  // namespace strc::driver
