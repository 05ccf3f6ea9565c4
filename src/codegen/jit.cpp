#include "codegen/jit.h"

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/machine_code.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/target.h"
#include "strc/device.h"
#include "strc/kernels.h"

namespace strc::codegen {

struct Jit::Impl {
    std::unique_ptr<llvm::orc::LLJIT> jit;
    const strc_program* program = nullptr;
    std::uint64_t stackBytes = 0;
    std::vector<StoredSymbol> stored;  ///< which the code reads where they are
    std::vector<PackedArray> packed;
};

Jit::Jit(std::unique_ptr<Impl> made) : impl(std::move(made)) {}
Jit::Jit(Jit&&) noexcept = default;
Jit& Jit::operator=(Jit&&) noexcept = default;
Jit::~Jit() = default;

const strc_program& Jit::program() const { return *impl->program; }
std::uint64_t Jit::stackBytes() const { return impl->stackBytes; }

namespace {

/// Functions of the runtime lie in this binary; those of libm are found by their names.
llvm::orc::SymbolMap runtimeSymbols(llvm::orc::LLJIT& jit) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](const char* name, auto* function) {
        symbols[jit.mangleAndIntern(name)] = {
            llvm::orc::ExecutorAddr::fromPtr(function),
            llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
#define STRC_RUNTIME_FUNCTION(result, name, parameters) add(#name, &name);
#include "strc/runtime_functions.def"
#undef STRC_RUNTIME_FUNCTION
    symbols[jit.mangleAndIntern("strc_device_functions")] = {
        llvm::orc::ExecutorAddr::fromPtr(&strc_device_functions), llvm::JITSymbolFlags::Exported};
    symbols[jit.mangleAndIntern("strc_kernel_functions")] = {
        llvm::orc::ExecutorAddr::fromPtr(&strc_kernel_functions), llvm::JITSymbolFlags::Exported};
    return symbols;
}

llvm::orc::SymbolMap arraySymbols(llvm::orc::LLJIT& jit, const std::vector<StoredSymbol>& stored,
                                  const std::vector<PackedArray>& packed) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](const std::string& name, const std::byte* bytes) {
        symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(bytes),
                                              llvm::JITSymbolFlags::Exported};
    };
    for (const StoredSymbol& each : stored) add(each.symbol, each.array.bytes.get());
    for (const PackedArray& each : packed) add(each.symbol, each.bytes.get());
    return symbols;
}

class Compiler : public llvm::orc::IRCompileLayer::IRCompiler {
public:
    /// `stackBytes` is where makeObject says it.
    Compiler(std::unique_ptr<llvm::TargetMachine> machine, Options wanted,
             std::uint64_t& stackBytes)
        : IRCompiler(llvm::orc::irManglingOptionsFromTargetOptions(machine->Options)),
          machine(std::move(machine)),
          options(std::move(wanted)),
          stack(stackBytes) {}

    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> operator()(llvm::Module& module) override {
        return makeObject(module, *machine, options, stack);
    }

private:
    std::unique_ptr<llvm::TargetMachine> machine;
    Options options;
    std::uint64_t& stack;
};

llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> makeJit(const Options& options,
                                                          std::uint64_t& stackBytes) {
    using Builder = llvm::orc::JITTargetMachineBuilder;
    auto compiler = [&](Builder builder)
        -> llvm::Expected<std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>> {
        auto machine = builder.createTargetMachine();
        if (!machine) return machine.takeError();
        return std::make_unique<Compiler>(std::move(*machine), options, stackBytes);
    };
    return llvm::orc::LLJITBuilder()
        .setJITTargetMachineBuilder(targetBuilder(options))
        .setCompileFunctionCreator(compiler)
        .create();
}

base::Failure failure(llvm::Error error) {
    return {"the program cannot be compiled in this process: " + llvm::toString(std::move(error))};
}

}  // namespace

base::Result<Jit> Jit::load(Module made, const Options& wanted) {
    if (wanted.isInterrupted()) return base::Failure{"interrupted"};
    base::Timing timing(*made.impl->passes, base::Pass::MachineCode);
    Options options = affordable(*made.impl, wanted);
    auto impl = std::make_unique<Impl>();
    auto jit = makeJit(options, impl->stackBytes);
    if (!jit) return failure(jit.takeError());
    impl->jit = std::move(*jit);
    // The lookup below fails too; standard error is not LLVM's to write to.
    impl->jit->getExecutionSession().setErrorReporter(
        [](llvm::Error error) { llvm::consumeError(std::move(error)); });
    if (options.debug)
        if (auto error = llvm::orc::enableDebuggerSupport(*impl->jit))
            return failure(std::move(error));
    llvm::orc::JITDylib& library = impl->jit->getMainJITDylib();
    if (auto error = library.define(llvm::orc::absoluteSymbols(runtimeSymbols(*impl->jit))))
        return failure(std::move(error));
    impl->stored = std::move(made.impl->stored);
    impl->packed = std::move(made.impl->packed);
    if (auto error = library.define(
            llvm::orc::absoluteSymbols(arraySymbols(*impl->jit, impl->stored, impl->packed))))
        return failure(std::move(error));
    auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        impl->jit->getDataLayout().getGlobalPrefix());
    if (!process) return failure(process.takeError());
    library.addGenerator(std::move(*process));
    // Where this code was loaded for itself alone, the process does not know what it brought along.
    auto math = llvm::orc::DynamicLibrarySearchGenerator::Load(
        "libm.so.6", impl->jit->getDataLayout().getGlobalPrefix());
    if (math)
        library.addGenerator(std::move(*math));
    else
        llvm::consumeError(math.takeError());
    if (made.impl->usesVectors) {
        auto vectors = llvm::orc::DynamicLibrarySearchGenerator::Load(
            kVectorLibrary, impl->jit->getDataLayout().getGlobalPrefix());
        if (vectors)
            library.addGenerator(std::move(*vectors));
        else  // where there is none nothing asks for it
            llvm::consumeError(vectors.takeError());
    }
    llvm::orc::ThreadSafeModule module(std::move(made.impl->module), std::move(made.impl->context));
    if (auto error = impl->jit->addIRModule(std::move(module))) return failure(std::move(error));
    auto symbol = impl->jit->lookup("strc_program");
    if (!symbol) return failure(symbol.takeError());
    impl->program = symbol->toPtr<const strc_program*>();
    return Jit(std::move(impl));
}

}  // namespace strc::codegen
