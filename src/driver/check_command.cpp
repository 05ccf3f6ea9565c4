// `strc check` and --emit: through the stages without running.
#include "driver/commands.h"

namespace strc::driver {

namespace {

/// False after reporting what code generation has no answer for.
bool canMakeCode(const Call& call, Compilation& program) {
    std::string why = codegen::whyNot(program.module, *program.plan);
    if (why.empty()) return true;
    program.context.diags.add(base::Diag::CannotCompile, program.elaboration.graph.nodes[0].range)
        << why;
    call.reporter.show(program.context);
    return false;
}

/// What the program prints while its graph is built is not wanted here.
void noPrint(std::string_view) {}

}  // namespace

int checkCommand(const Call& call) {
    Compilation program;
    TimesAtEnd times(call, program);
    bool fine = compileFiles(call, program, Stage::Scheduled, noPrint) == Stage::Scheduled;
    return fine ? kFine : statusOfFailure(call);
}

int emitAfterCommand(const Call& call, base::Pass pass) {
    Compilation program;
    TimesAtEnd times(call, program);
    const base::PassProduct product = base::info(pass).product;
    Stage wanted = session::stageOf(pass);
    if (compileFiles(call, program, wanted, noPrint) < wanted) return statusOfFailure(call);
    bool isCode = product == base::PassProduct::Code || product == base::PassProduct::Asm;
    if (isCode && !canMakeCode(call, program)) return statusOfFailure(call);
    return printResult(call,
                       session::textAfter(pass, program, codegenOptions(call.options, program)));
}

int emitCommand(const Call& call, Emit what) {
    Compilation program;
    TimesAtEnd times(call, program);
    Stage wanted = session::stageOf(what);
    if (compileFiles(call, program, wanted, noPrint) < wanted) return statusOfFailure(call);
    bool isCode = what == Emit::Llvm || what == Emit::Asm;
    if (isCode && !canMakeCode(call, program)) return statusOfFailure(call);
    return printResult(call, session::textOf(what, program, codegenOptions(call.options, program)));
}

}  // namespace strc::driver
