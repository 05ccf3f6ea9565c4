#include "session/products.h"

#include <fmt/format.h>

#include "ast/print.h"
#include "base/assert.h"
#include "base/pass.h"
#include "graph/picture.h"
#include "ir/text.h"

namespace strc::session {

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

/// With its buffers, if there is a schedule.
std::string graphText(const Compilation& program) {
    const std::vector<std::int64_t> capacity = capacities(program);
    return graph::toText(program.elaboration.graph,
                         {&program.quota, program.schedules.empty() ? nullptr : &capacity});
}

std::string machineCode(Product stage, Compilation& program, const codegen::Options& options,
                        bool optimized = true) {
    codegen::Module module =
        codegen::lower(program.context, program.module, *program.plan, options);
    if (optimized) codegen::optimize(module, options);
    return stage == Product::Llvm ? codegen::printLlvm(module)
                                  : codegen::printAssembly(module, options);
}

}  // namespace

Stage stageOf(Product product) {
    switch (product) {
        case Product::Ast: return Stage::Parsed;
        case Product::Ir: return Stage::Lowered;
        case Product::Graph:
        case Product::Schedule: return Stage::Scheduled;
        case Product::Plan:
        case Product::Llvm:
        case Product::Asm:
        case Product::Object: return Stage::Planned;
    }
    return Stage::Scheduled;
}

std::string textOf(Product product, Compilation& program, const codegen::Options& options) {
    std::string text;
    switch (product) {
        case Product::Ast:
            for (std::size_t i = 0; i < program.programUnits; ++i)
                text += ast::dump(*program.units[i]);
            return text;
        case Product::Ir: return ir::print(ir::forReading(program.module));
        case Product::Schedule: return scheduleText(program);
        case Product::Plan: return plan::print(*program.plan);
        case Product::Llvm:
        case Product::Asm: return machineCode(product, program, options);
        case Product::Graph: return graphText(program);
        case Product::Object: break;
    }
    STRC_UNREACHABLE("a stage without text");
}

Stage stageOf(base::Pass pass) {
    if (pass == base::Pass::LinearCombination || pass == base::Pass::Frequency)
        return Stage::Planned;  // filters that only the plan sees
    switch (base::info(pass).product) {
        case base::PassProduct::Ast: return Stage::Parsed;
        case base::PassProduct::Ir: return Stage::Lowered;
        case base::PassProduct::Kernels: return Stage::Elaborated;
        case base::PassProduct::Graph: return Stage::Balanced;
        case base::PassProduct::Schedule: return Stage::Scheduled;
        default: return Stage::Planned;
    }
}

std::string textAfter(base::Pass pass, Compilation& program, const codegen::Options& options) {
    switch (pass) {
        case base::Pass::Parse: return textOf(Product::Ast, program, options);
        case base::Pass::Lower: return textOf(Product::Ir, program, options);
        case base::Pass::Balance: return textOf(Product::Graph, program, options);
        case base::Pass::Schedule: return textOf(Product::Schedule, program, options);
        case base::Pass::Llvm: return textOf(Product::Llvm, program, options);
        case base::Pass::MachineCode: return textOf(Product::Asm, program, options);
        case base::Pass::Codegen: return machineCode(Product::Llvm, program, options, false);
        default: break;
    }
    const base::PassInfo& info = base::info(pass);
    if (info.product == base::PassProduct::Plan) return textOf(Product::Plan, program, options);
    if (info.product == base::PassProduct::Code)
        machineCode(Product::Llvm, program, options, false);
    const std::string& shown = program.context.passes.emitted();
    return shown.empty() ? fmt::format("; {}: applied to nothing\n", info.name) : shown;
}

std::vector<std::int64_t> capacities(const Compilation& program) {
    std::vector<std::int64_t> all(program.elaboration.graph.edges.size());
    for (const sched::Schedule& schedule : program.schedules)
        for (std::size_t edge = 0; edge < all.size(); ++edge) all[edge] += schedule.capacity[edge];
    return all;
}

}  // namespace strc::session
