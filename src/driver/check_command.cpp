// `strc check`, `strc graph`, `strc schedule` and --emit: through the stages without running.
#include "driver/compiler.h"

namespace strc::driver {

namespace {

/// What the program prints while its graph is built is not wanted here.
const Print noPrint;

}  // namespace

int checkCommand(const Call& call) {
    Compiler compiler(call);
    compiler.addSources();
    return compiler.compile(STRC_STAGE_SCHEDULED, noPrint) ? kFine : statusOfFailure(call);
}

int emitCommand(const Call& call, strc_product product) {
    Compiler compiler(call);
    compiler.set("no-interpret");
    if (product == STRC_C_SOURCE) compiler.set("c-source");
    compiler.addSources();
    compiler.addInputs();
    if (!compiler.compile(strc_compiler_stage_for(compiler.handle(), product), noPrint))
        return statusOfFailure(call);
    const auto text = compiler.text(product);
    return text ? printResult(call, *text) : statusOfFailure(call);
}

}  // namespace strc::driver
