// `strc check`, `strc graph`, `strc schedule` and --emit: through the stages without running.
#include <string>

#include "driver/detail/compiler.h"

namespace strc::driver {

namespace {

/// What the program prints while its graph is built is not wanted here.
const Print noPrint;

bool isFile(const std::string& output) { return !output.empty() && output != "-"; }

/// Beside C source in a file: "p.h" of "p.c", or as --header says.
int writeHeader(const Call& call, Compiler& compiler) {
    const auto text = compiler.text(STRC_C_HEADER);
    if (!text) return statusOfFailure(call);
    Options options = call.options;
    const std::string& source = call.options.output;
    const bool isUsual = source.ends_with(".c");
    options.output = call.options.has("header")
                         ? call.options.valueOf("header")
                         : source.substr(0, source.size() - (isUsual ? 2 : 0)) + ".h";
    return printResult({options, call.process, call.reporter}, *text);
}

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
    if (!text) return statusOfFailure(call);
    const int status = printResult(call, *text);
    const bool hasHeader =
        product == STRC_C_SOURCE && status == kFine && isFile(call.options.output);
    return hasHeader ? writeHeader(call, compiler) : status;
}

}  // namespace strc::driver
