// How much of LLVM's work a module gets.

#include <algorithm>

#include "base/pass.h"
#include "codegen/detail/instrument.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/target.h"
#include "codegen/detail/wide_integers.h"
#include "codegen/detail/work_memory.h"

namespace strc::codegen {
namespace {

constexpr std::size_t kMostCopies = 4000;  ///< instructions, of all copies of one body

/// LLVM's time grows faster than a function; beyond this its passes take minutes.
constexpr unsigned kLargestOptimized = 50'000;

/// Instructions of bodies that get all passes and the careful selection of instructions, which take
/// some 20 to 100 microseconds for each. What phases do between the bodies takes less, unless tapes are rings.
constexpr std::size_t kMostCareful = 120'000;
/// Of programs with products of tensors: nearly all of it are loops, which pay for it in the first firings.
constexpr std::size_t kMostCarefulProducts = 2 * kMostCareful;
constexpr const char* kTilePrefix = "tile.";  ///< of the functions of products (tiles.cpp)
constexpr std::size_t kPhaseShare = 3;

/// A body that is called from many places stays one function: code grows with the program's kernels,
/// not with their instances.
bool limitInlining(llvm::Function& function) {
    std::size_t copies = function.getNumUses();
    bool tooMany = copies > 1 && copies * function.getInstructionCount() > kMostCopies;
    if (tooMany) function.addFnAttr(llvm::Attribute::NoInline);
    return tooMany;
}

/// What gains most for the time: values in registers, nothing computed twice, nothing for nothing.
llvm::ModulePassManager quickPasses() {
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(
        llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
    passes.addPass(llvm::GVNPass());
    passes.addPass(llvm::DSEPass());
    passes.addPass(llvm::SimplifyCFGPass());
    llvm::ModulePassManager all;
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    return all;
}

llvm::OptimizationLevel levelOf(const Options& options) {
    switch (options.level) {
        case 0: return llvm::OptimizationLevel::O0;
        case 1: return llvm::OptimizationLevel::O1;
        case 2: return llvm::OptimizationLevel::O2;
        default: return llvm::OptimizationLevel::O3;
    }
}

}  // namespace

void limitEffort(Module::Impl& made, plan::Tapes tapes) {
    // Phases compute the place of every item of a ring: then they take as long as bodies do.
    const std::size_t phaseShare = tapes == plan::Tapes::Ring ? 1 : kPhaseShare;
    std::size_t work = 0;
    std::size_t largest = 0;
    bool hasProducts = false;
    for (llvm::Function& function : *made.module) {
        if (function.isDeclaration()) continue;
        hasProducts = hasProducts || function.getName().starts_with(kTilePrefix);
        std::size_t size = function.getInstructionCount();
        largest = std::max(largest, size);
        bool isPhase = function.hasFnAttribute(llvm::Attribute::NoInline);
        if (isPhase)
            work += size / phaseShare;
        else if (limitInlining(function))
            work += size;
        else
            work += size * function.getNumUses();
    }
    if (largest > kLargestOptimized)
        made.effort = Effort::None;
    else if (work > (hasProducts ? kMostCarefulProducts : kMostCareful))
        made.effort = Effort::Quick;
}

Options affordable(const Module::Impl& made, const Options& wanted) {
    Options options = wanted;
    if (made.effort != Effort::All) options.level = 0;
    return options;
}

namespace {

void runPasses(Module& made, const Options& options) {
    base::Passes& ours = *made.impl->passes;
    base::PassRun run(ours, base::Pass::Llvm, "the module");
    if (!run || options.isInterrupted()) return;
    auto machine = targetMachine(options);
    llvm::PassInstrumentationCallbacks callbacks;
    callbacks.registerShouldRunOptionalPassCallback(
        [&](llvm::StringRef, llvm::Any) { return !options.isInterrupted(); });
    llvm::OptPassGateInstrumentation gate(made.impl->module->getContext());
    gate.registerCallbacks(callbacks);
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager calls;
    llvm::ModuleAnalysisManager modules;
    // Loops of a few iterations are written out before anybody makes vectors of them.
    llvm::PipelineTuningOptions tuning;
    tuning.SLPVectorization = options.level >= 2;
    llvm::PassBuilder builder(machine.get(), tuning, std::nullopt, &callbacks);
    measurePasses(callbacks, ours);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(calls);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, calls, modules);
    bool isQuick = made.impl->effort == Effort::Quick && options.level > 0;
    llvm::ModulePassManager passes =
        isQuick ? quickPasses()
                : builder.buildPerModuleDefaultPipeline(levelOf(affordable(*made.impl, options)));
    passes.run(*made.impl->module, modules);
}

}  // namespace

void optimize(Module& made, const Options& options) {
    runPasses(made, options);
    if (options.isInterrupted()) return;
    removeWideIntegers(*made.impl->module);
    placeWork(*made.impl->module);
}

}  // namespace strc::codegen
