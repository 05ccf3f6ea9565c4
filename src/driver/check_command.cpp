// `strc check` and --emit: through the stages without running.
#include <fmt/format.h>

#include "ast/print.h"
#include "driver/commands.h"
#include "graph/picture.h"
#include "ir/text.h"

namespace strc::driver {

namespace {

/// Dynamic rates cut a program into islands, each with a schedule of its own.
std::string scheduleText(const Compilation& program) {
    std::string text;
    for (const sched::Schedule& schedule : program.schedules) {
        if (program.schedules.size() > 1)
            text += fmt::format("{}island {}\n", text.empty() ? "" : "\n", schedule.island);
        text += sched::print(program.elaboration.graph, program.quota, schedule);
    }
    return text;
}

std::string machineCode(Emit stage, Compilation& program, const codegen::Options& options) {
    codegen::Module module =
        codegen::lower(program.context, program.module, *program.plan, options);
    codegen::optimize(module, options);
    return stage == Emit::Llvm ? codegen::printLlvm(module)
                               : codegen::printAssembly(module, options);
}

std::string emitted(Emit stage, Compilation& program, const codegen::Options& options) {
    std::string text;
    switch (stage) {
        case Emit::Ast:
            for (std::size_t i = 0; i < program.programUnits; ++i)
                text += ast::dump(*program.units[i]);
            return text;
        case Emit::Ir: return ir::print(ir::forReading(program.module));
        case Emit::Schedule: return scheduleText(program);
        case Emit::Plan: return plan::print(*program.plan);
        case Emit::Llvm:
        case Emit::Asm: return machineCode(stage, program, options);
        case Emit::Graph:
            return graph::toText(program.elaboration.graph, {&program.quota, nullptr});
        case Emit::Object: break;
    }
    STRC_UNREACHABLE("a stage without text");
}

Stage stageOf(Emit stage) {
    switch (stage) {
        case Emit::Ast: return Stage::Parsed;
        case Emit::Ir: return Stage::Lowered;
        case Emit::Graph: return Stage::Balanced;
        case Emit::Schedule: return Stage::Scheduled;
        case Emit::Plan:
        case Emit::Llvm:
        case Emit::Asm:
        case Emit::Object: return Stage::Planned;
    }
    return Stage::Scheduled;
}

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
    bool fine = compileFiles(call, program, Stage::Scheduled, noPrint) == Stage::Scheduled;
    return fine ? kFine : statusOfFailure(call);
}

int emitCommand(const Call& call, Emit what) {
    Compilation program;
    Stage wanted = stageOf(what);
    if (compileFiles(call, program, wanted, noPrint) < wanted) return statusOfFailure(call);
    bool isCode = what == Emit::Llvm || what == Emit::Asm;
    if (isCode && !canMakeCode(call, program)) return statusOfFailure(call);
    return printResult(call, emitted(what, program, codegenOptions(call.options, program)));
}

}  // namespace strc::driver
