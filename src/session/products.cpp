#include "session/products.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "ast/print.h"
#include "base/assert.h"
#include "base/pass.h"
#include "device/offload.h"
#include "graph/picture.h"
#include "io/subprocess.h"
#include "ir/text.h"
#include "pass/text.h"
#include "plan/memory.h"
#include "plan/segments.h"
#include "session/detail/c_source.h"
#include "session/detail/operator_library.h"
#include "session/detail/split.h"
#include "session/detail/threads.h"
#include "session/engine.h"

namespace strc::session {

namespace {

/// Dynamic rates cut a program into islands, each with a schedule of its own.
std::string scheduleText(const Compilation& program) {
    std::string text;
    for (const sched::Schedule& schedule : program.schedules) {
        if (program.schedules.size() > 1)
            text += fmt::format("{}island {}\n", text.empty() ? "" : "\n", schedule.island);
        text += sched::print(program.elaboration.graph, program.repetitions, schedule);
    }
    return text;
}

/// With its buffers, if there is a schedule.
std::string graphText(const Compilation& program) {
    const std::vector<std::int64_t> capacity = capacities(program);
    return graph::toText(program.elaboration.graph,
                         {&program.repetitions, program.schedules.empty() ? nullptr : &capacity});
}

/// Before passes; what has no text is reported.
std::optional<std::string> programText(Compilation& program) {
    const pass::Program made = pass::borrow(program.elaboration, program.repetitions);
    const std::string why = pass::whyNoText(program.module, made);
    if (why.empty()) return pass::print(program.module, made);
    reportCannotCompile(program, "there is no text of it that can be read back, because " + why);
    return std::nullopt;
}

std::string machineCode(Product stage, Compilation& program, const Settings& settings,
                        bool optimized = true) {
    codegen::Options how = codegenOptions(settings);
    how.native = nativesBySymbol(program);
    how.kernels = kernelLibrary(program, settings, KernelsFor::Looking);
    codegen::Module module =
        codegen::lower(program.context, *program.program.types, program.module, *program.plan, how);
    if (optimized) codegen::optimize(module, how);
    return stage == Product::Llvm ? codegen::printLlvm(module)
                                  : codegen::printAssembly(module, how);
}

void reportTool(base::Diagnostics& diags, const std::string& reason) {
    if (reason.find(std::strerror(ENOENT)) == std::string::npos) {
        diags.add(base::Diag::CannotWriteFile) << "SVG" << reason;
        return;
    }
    base::Diagnostic& diag = diags.add(base::Diag::ToolMissing) << "--format svg" << "dot";
    diag.note(base::Diag::Hint) << "it belongs to Graphviz; --format dot needs no tool";
}

/// Graphviz draws; without it there is still the text that it would draw.
std::optional<std::string> draw(Compilation& program, const std::string& dot) {
    base::Result<std::string> drawn = io::runTool({"dot", "-Tsvg"}, dot);
    if (drawn) return std::move(*drawn);
    reportTool(program.context.diags, drawn.error());
    return std::nullopt;
}

std::optional<std::string> picture(Product product, Compilation& program, const Settings& settings,
                                   const graph::Graph& graph, const graph::Annotations& notes) {
    if (product == Product::Graph) return graph::toText(graph, notes);
    if (product == Product::GraphJson) return graph::toJson(graph, notes);
    const std::string dot = graph::toDot(graph, notes, {.fold = settings.fold});
    return product == Product::GraphDot ? dot : draw(program, dot);
}

std::optional<std::string> picture(Product product, Compilation& program,
                                   const Settings& settings) {
    const std::vector<std::int64_t> capacity = capacities(program);
    return picture(product, program, settings, program.elaboration.graph,
                   {&program.repetitions, &capacity});
}

Stage stageOf(base::Pass pass) {
    switch (base::levelOf(pass)) {  // filters that only the plan sees
        case base::PassLevel::Program:
        case base::PassLevel::Kernel:
        case base::PassLevel::Tensors:
        case base::PassLevel::Loops: return Stage::Planned;
        default: break;
    }
    switch (base::info(pass).product) {
        case base::PassProduct::Ast: return Stage::Parsed;
        case base::PassProduct::Ir: return Stage::Lowered;
        case base::PassProduct::Kernels: return Stage::Elaborated;
        case base::PassProduct::Graph: return Stage::Balanced;
        case base::PassProduct::Schedule: return Stage::Scheduled;
        default: return Stage::Planned;
    }
}

/// Empty: what a pass has shown.
std::optional<Product> productOf(base::Pass pass) {
    switch (pass) {
        case base::Pass::Parse: return Product::Ast;
        case base::Pass::Lower: return Product::Ir;
        case base::Pass::Balance: return Product::Graph;
        case base::Pass::Schedule: return Product::Schedule;
        case base::Pass::Llvm: return Product::Llvm;
        case base::Pass::MachineCode: return Product::Asm;
        default: break;
    }
    if (base::info(pass).product == base::PassProduct::Plan) return Product::Plan;
    return std::nullopt;
}

std::optional<std::string> textAfter(base::Pass pass, Compilation& program,
                                     const Settings& settings) {
    if (auto product = productOf(pass)) return textOf(*product, program, settings);
    const base::PassInfo& info = base::info(pass);
    const bool isOfDevice = info.product == base::PassProduct::Device;
    if (isOfDevice && settings.device.kind != Device::Cpu && program.plan)
        device::offload(program.context, program.module, *program.plan, *program.program.types,
                        settings.fastMath);
    if (info.product == base::PassProduct::Code) {
        if (!canBeCompiled(program)) return std::nullopt;
        std::string code = machineCode(Product::Llvm, program, settings, false);
        if (pass == base::Pass::Codegen) return code;
    }
    const std::string& shown = program.context.passes.emitted();
    return shown.empty() ? fmt::format("; {}: applied to nothing\n", info.name) : shown;
}

bool showsPartitions(Product product, const Settings& settings) {
    switch (product) {
        case Product::Graph:
        case Product::GraphJson:
        case Product::GraphDot:
        case Product::GraphSvg:
        case Product::Schedule: return settings.partitions;
        default: return false;
    }
}

bool hasPlan(Compilation& program) {
    if (program.plan) return true;
    std::string why = plan::whyNot(program.elaboration);
    reportCannotCompile(program, why.empty() ? "it has no plan" : why);
    return false;
}

/// Of the program as threads run it, behind passes; with `--threads`, of a library whose calls they share.
std::optional<std::string> partitionsText(Product product, Compilation& program,
                                          const Settings& settings) {
    if (!hasPlan(program)) return std::nullopt;
    const plan::Plan& plan = *program.plan;
    const bool isOfCalls = settings.callThreads > 1;
    const std::optional<graph::Segmentation> segmentation =
        isOfCalls ? plan::partitionsOf(plan) : plan::segmentationOf(plan);
    if (isOfCalls)
        tellThreads(program, settings);
    else if (!segmentation)
        program.context.diags.add(base::Diag::Hint)
            << "there are no partitions: this program runs on one thread, since it is small, most "
               "of it has to be done in order, or it cannot be divided";
    if (product == Product::Schedule)
        return !segmentation ? std::string()
               : isOfCalls   ? plan::printPartitions(plan, *segmentation)
                             : plan::printSegments(plan, *segmentation);
    return picture(product, program, settings, plan.program->graph,
                   {&program.plannedQuota(), nullptr, segmentation ? &*segmentation : nullptr});
}

bool showsRanks(Product product, const Settings& settings) {
    const bool isGraph = product == Product::Graph || product == Product::GraphJson ||
                         product == Product::GraphDot || product == Product::GraphSvg;
    return settings.ranks != 0 && isGraph;
}

/// Each rank runs the whole program, and they share products.
std::optional<std::string> sharedText(Product product, Compilation& program,
                                      const Settings& settings) {
    checkSplit(program, settings);
    const graph::SharedProducts shared = sharedProducts(program, settings);
    if (product == Product::Graph) return print(shared, program, settings);
    return picture(product, program, settings, program.plan->program->graph,
                   {&program.plannedQuota(), nullptr, nullptr, &shared});
}

/// Of the program behind passes, as `strc build --ranks` cuts it.
std::optional<std::string> ranksText(Product product, Compilation& program,
                                     const Settings& settings) {
    if (!hasPlan(program)) return std::nullopt;
    const plan::Plan& plan = *program.plan;
    if (settings.split) return sharedText(product, program, settings);
    const std::string why = plan::whyNoRanks(plan);
    if (!why.empty()) {
        program.context.diags.add(base::Diag::Hint, mainHeader(program))
            << "ranks cannot share this program: " + why;
        return product == Product::Graph ? "ranks cannot share this program: " + why + '\n'
                                         : picture(product, program, settings, plan.program->graph,
                                                   {&program.plannedQuota(), nullptr, nullptr});
    }
    const plan::Ranks ranks = plan::findRanks(plan);
    if (product == Product::Graph)
        return plan::printRanks(plan, ranks, settings.network, settings.ranks);
    const graph::Segmentation segmentation =
        plan::segmentationOf(plan, ranks, settings.network, settings.ranks);
    return picture(product, program, settings, plan.program->graph,
                   {&program.plannedQuota(), nullptr, &segmentation});
}

std::string trees(const Compilation& program) {
    std::string text;
    for (std::size_t i = 0; i < program.programUnits; ++i) text += ast::dump(*program.units[i]);
    return text;
}

}  // namespace

Stage stageOf(Product product, const Settings& settings) {
    if (showsPartitions(product, settings) || showsRanks(product, settings)) return Stage::Planned;
    switch (product) {
        case Product::Ast: return Stage::Parsed;
        case Product::Ir: return Stage::Lowered;
        case Product::Graph:
        case Product::GraphJson:
        case Product::GraphDot:
        case Product::GraphSvg:
        case Product::Schedule:
        case Product::Program: return Stage::Scheduled;
        case Product::Plan:
        case Product::Memory:
        case Product::MemoryJson:
        case Product::CSource:
        case Product::CHeader:
        case Product::Llvm:
        case Product::Asm:
        case Product::Object: return Stage::Planned;
        case Product::AfterPass:
            return settings.emitAfter ? stageOf(*settings.emitAfter) : Stage::Nothing;
    }
    STRC_UNREACHABLE("a product of no stage");
}

bool canBeCompiled(Compilation& program) {
    if (!hasPlan(program)) return false;
    std::string why = codegen::whyNot(program.module, *program.plan);
    if (!why.empty()) reportCannotCompile(program, why);
    return why.empty();
}

bool hasAllShapes(Compilation& program) {
    if (!program.elaboration.dynamicShape) return true;
    reportCannotCompile(program, elab::whyDynamicShape(program.elaboration) +
                                     ", and a stream that goes on in pieces wants all shapes");
    return false;
}

void reportCannotCompile(Compilation& program, std::string_view why) {
    program.context.diags.add(base::Diag::CannotCompile, mainHeader(program)) << why;
}

base::SourceRange mainHeader(const Compilation& program) {
    const graph::Graph& graph = program.elaboration.graph;
    return graph.composites.empty() ? graph.nodes[0].range : graph.composites[0].header;
}

std::optional<std::string> textOf(Product product, Compilation& program, const Settings& settings) {
    if (showsRanks(product, settings)) return ranksText(product, program, settings);
    if (showsPartitions(product, settings)) return partitionsText(product, program, settings);
    switch (product) {
        case Product::Ast: return trees(program);
        case Product::Ir: return ir::print(ir::forReading(program.module));
        case Product::Graph: return graphText(program);
        case Product::GraphJson:
        case Product::GraphDot:
        case Product::GraphSvg: return picture(product, program, settings);
        case Product::Schedule: return scheduleText(program);
        case Product::Program: return programText(program);
        case Product::Plan:
            if (!hasPlan(program)) return std::nullopt;
            return plan::print(*program.plan) + printKernels(program, settings);
        case Product::Memory:
        case Product::MemoryJson:
            if (!hasPlan(program)) return std::nullopt;
            return product == Product::Memory ? plan::printMemory(*program.plan)
                                              : plan::memoryToJson(*program.plan);
        case Product::Llvm:
        case Product::Asm:
            if (!canBeCompiled(program)) return std::nullopt;
            return machineCode(product, program, settings);
        case Product::CSource: return cSource(program, settings);
        case Product::CHeader: return cHeader(program, settings);
        case Product::AfterPass:
            if (!settings.emitAfter) return std::nullopt;
            return textAfter(*settings.emitAfter, program, settings);
        case Product::Object: break;
    }
    STRC_UNREACHABLE("a product without text");
}

std::vector<std::int64_t> capacities(const Compilation& program) {
    std::vector<std::int64_t> all(program.elaboration.graph.edges.size());
    for (const sched::Schedule& schedule : program.schedules)
        for (std::size_t edge = 0; edge < all.size(); ++edge) all[edge] += schedule.capacity[edge];
    return all;
}

}  // namespace strc::session
