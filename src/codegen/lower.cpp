#include "codegen/lower.h"

#include <algorithm>

#include "base/assert.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/target.h"

namespace strc::codegen {

Module::Module(std::unique_ptr<Impl> made) : impl(std::move(made)) {}
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;
Module::~Module() = default;

const std::vector<Site>& Module::sites() const { return impl->sites; }

namespace {

std::string whyNot(const ir::Body& body) {
    for (const ir::Block& block : body.blocks) {
        for (const ir::Instr& instr : block.instrs) {
            if (instr.op == ir::Op::Send) return "it sends messages";
            if (instr.op == ir::Op::ReadArray) return "a filter reads an array while it runs";
            if (instr.op == ir::Op::Call && instr.callee.kind == ir::CalleeKind::Native)
                return "it calls native functions";
        }
    }
    return {};
}

constexpr std::size_t kMostCopies = 4000;  ///< instructions, of all copies of one body

/// LLVM's time grows faster than a function; beyond this its passes take minutes.
constexpr unsigned kLargestOptimized = 50'000;

bool isTooLarge(const llvm::Module& module) {
    return std::any_of(module.begin(), module.end(), [](const llvm::Function& function) {
        return function.getInstructionCount() > kLargestOptimized;
    });
}

/// A body that is called from many places stays one function: code grows with the program's kernels,
/// not with their instances.
void limitInlining(llvm::Module& module) {
    for (llvm::Function& function : module) {
        if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::NoInline))
            continue;
        std::size_t copies = function.getNumUses();
        if (copies > 1 && copies * function.getInstructionCount() > kMostCopies)
            function.addFnAttr(llvm::Attribute::NoInline);
    }
}

}  // namespace

std::string whyNot(const ir::Module& program, const plan::Plan& plan) {
    std::vector<const ir::Body*> bodies;
    for (const ir::Body& body : program.functions) bodies.push_back(&body);
    for (const elab::Kernel& kernel : plan.program->kernels) {
        if (kernel.code.work) bodies.push_back(&*kernel.code.work);
        if (kernel.code.prework) bodies.push_back(&*kernel.code.prework);
        for (const ir::Body& body : kernel.code.functions) bodies.push_back(&body);
    }
    for (const ir::Body* body : bodies)
        if (std::string why = whyNot(*body); !why.empty()) return why;
    return {};
}

Module lower(base::Context& context, const ir::Module& program, const plan::Plan& plan,
             const Options& options) {
    auto impl = std::make_unique<Module::Impl>();
    impl->module = std::make_unique<llvm::Module>("strc", *impl->context);
    auto machine = hostMachine(options);
    impl->module->setTargetTriple(machine->getTargetTriple().str());
    impl->module->setDataLayout(machine->createDataLayout());
    ModuleBuilder builder(context.limits, program, plan, options, *impl);
    emitProgram(builder);
    if (options.isInterrupted()) return Module(std::move(impl));
    limitInlining(*impl->module);
    if (isTooLarge(*impl->module)) impl->mostLevel = 0;
    for (llvm::Function& function : *impl->module) {
        if (function.isDeclaration()) continue;
        function.addFnAttr("target-cpu", machine->getTargetCPU());
        function.addFnAttr("target-features", machine->getTargetFeatureString());
    }
#ifdef STRC_CHECKED
    std::string faults;
    llvm::raw_string_ostream out(faults);
    if (llvm::verifyModule(*impl->module, &out)) {
        llvm::errs() << faults << '\n';
        STRC_UNREACHABLE("malformed LLVM module");
    }
#endif
    return Module(std::move(impl));
}

void optimize(Module& made, const Options& options) {
    llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                        llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
    if (options.isInterrupted()) return;
    auto machine = hostMachine(options);
    llvm::PassInstrumentationCallbacks callbacks;
    callbacks.registerShouldRunOptionalPassCallback(
        [&](llvm::StringRef, llvm::Any) { return !options.isInterrupted(); });
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager calls;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(machine.get(), llvm::PipelineTuningOptions(), std::nullopt,
                              &callbacks);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(calls);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, calls, modules);
    llvm::OptimizationLevel level = levels[std::min(options.level, made.impl->mostLevel)];
    builder.buildPerModuleDefaultPipeline(level).run(*made.impl->module, modules);
}

std::string printLlvm(const Module& made) {
    std::string text;
    llvm::raw_string_ostream out(text);
    made.impl->module->print(out, nullptr);
    return text;
}

}  // namespace strc::codegen
