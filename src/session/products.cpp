#include "session/products.h"

#include <fmt/format.h>

#include "ast/print.h"
#include "base/assert.h"
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

std::string machineCode(Product stage, Compilation& program, const codegen::Options& options) {
    codegen::Module module =
        codegen::lower(program.context, program.module, *program.plan, options);
    codegen::optimize(module, options);
    return stage == Product::Llvm ? codegen::printLlvm(module)
                                  : codegen::printAssembly(module, options);
}

}  // namespace

Stage stageOf(Product product) {
    switch (product) {
        case Product::Ast: return Stage::Parsed;
        case Product::Ir: return Stage::Lowered;
        case Product::Graph: return Stage::Balanced;
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
        case Product::Graph:
            return graph::toText(program.elaboration.graph, {&program.quota, nullptr});
        case Product::Object: break;
    }
    STRC_UNREACHABLE("a stage without text");
}

std::vector<std::int64_t> capacities(const Compilation& program) {
    std::vector<std::int64_t> all(program.elaboration.graph.edges.size());
    for (const sched::Schedule& schedule : program.schedules)
        for (std::size_t edge = 0; edge < all.size(); ++edge) all[edge] += schedule.capacity[edge];
    return all;
}

}  // namespace strc::session
