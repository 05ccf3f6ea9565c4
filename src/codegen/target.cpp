#include "codegen/detail/target.h"

#include "base/assert.h"
#include "base/pass.h"
#include "codegen/detail/module_builder.h"
#include "codegen/target_model.h"

namespace strc::codegen {
namespace {

void initialize() {
    static bool done = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        llvm::InitializeNativeTargetAsmParser();
        // Those of --target, and no other: where LLVM is a part of the compiler they are all that comes with it.
        for (const auto initializeOne :
             {LLVMInitializeAArch64TargetInfo, LLVMInitializeAArch64Target,
              LLVMInitializeAArch64TargetMC, LLVMInitializeAArch64AsmPrinter,
              LLVMInitializeX86TargetInfo, LLVMInitializeX86Target, LLVMInitializeX86TargetMC,
              LLVMInitializeX86AsmPrinter})
            initializeOne();
        return true;
    }();
    (void)done;
}

llvm::CodeGenOptLevel selectionLevel(const Options& options) {
    switch (options.level) {
        case 0: return llvm::CodeGenOptLevel::None;
        case 1: return llvm::CodeGenOptLevel::Less;
        case 2: return llvm::CodeGenOptLevel::Default;
        default: return llvm::CodeGenOptLevel::Aggressive;
    }
}

std::string sentence(llvm::Error error) {
    return "LLVM has no code for this processor: " + llvm::toString(std::move(error));
}

}  // namespace

std::string whyNotHere() {
    initialize();
    auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!builder) return sentence(builder.takeError());
    auto machine = builder->createTargetMachine();
    return machine ? std::string() : sentence(machine.takeError());
}

namespace {

/// With every feature of the processor, if it is the one at hand.
llvm::orc::JITTargetMachineBuilder builderFor(const Options& options) {
    using Builder = llvm::orc::JITTargetMachineBuilder;
    if (!options.target.empty()) {
        Builder other{llvm::Triple(options.target)};
        other.setCPU(options.processor.empty() ? "generic" : options.processor);
        return other;
    }
    auto host = Builder::detectHost();
    STRC_ASSERT(bool(host), "LLVM does not know this processor");
    if (!options.processor.empty()) {
        host->setCPU(options.processor);
        host->getFeatures() = llvm::SubtargetFeatures();
    }
    return std::move(*host);
}

}  // namespace

llvm::orc::JITTargetMachineBuilder targetBuilder(const Options& options) {
    initialize();
    auto builder = builderFor(options);
    builder.setCodeGenOptLevel(selectionLevel(options));
    builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    builder.setRelocationModel(llvm::Reloc::PIC_);
    // Else builders of JITs take the large one: every call by a register, and none that a static link takes.
    builder.setCodeModel(llvm::CodeModel::Small);
    return builder;
}

std::unique_ptr<llvm::TargetMachine> targetMachine(const Options& options) {
    auto machine = targetBuilder(options).createTargetMachine();
    STRC_ASSERT(bool(machine), "LLVM has no target for this processor");
    return std::move(*machine);
}

unsigned vectorFloats(const llvm::TargetMachine& machine) {
    if (!machine.getTargetTriple().isX86()) return 0;
    return machine.getMCSubtargetInfo()->checkFeatures("+avx2") ? 8 : 4;
}

unsigned vectorDoubles(const llvm::TargetMachine& machine, const Options& options) {
    const bool isHere = options.target.empty() && machine.getTargetTriple().isArch64Bit();
    if (!isHere || !machine.getTargetTriple().isX86()) return 0;
    const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
    if (features.checkFeatures("+avx512f")) return 8;
    return features.checkFeatures("+avx2") ? 4 : 2;
}

target::Model targetModel(const llvm::TargetMachine& machine) {
    const llvm::Triple& triple = machine.getTargetTriple();
    const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
    return target::modelOf(
        triple.isAArch64() ? target::Architecture::AArch64
        : triple.isX86()   ? target::Architecture::X86
                           : target::Architecture::Other,
        [&](std::string_view name) { return features.checkFeatures("+" + std::string(name)); });
}

target::Model targetModel(const Options& options) {
    const bool canBeMade = !options.target.empty() || whyNotHere().empty();
    return canBeMade ? targetModel(*targetMachine(options)) : target::Model();
}

bool hasVectorFunction(const std::string& symbol) {
    static llvm::sys::DynamicLibrary library =
        llvm::sys::DynamicLibrary::getPermanentLibrary(kVectorLibrary);
    return library.isValid() && library.getAddressOfSymbol(symbol.c_str());
}

std::string printAssembly(const Module& made, const Options& options) {
    base::Timing timing(*made.impl->passes, base::Pass::MachineCode);
    auto machine = targetMachine(affordable(*made.impl, options));
    llvm::SmallVector<char, 0> text;
    llvm::raw_svector_ostream out(text);
    llvm::legacy::PassManager passes;
    bool fails =
        machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
    STRC_ASSERT(!fails, "LLVM cannot print assembly");
    passes.run(*made.impl->module);
    return std::string(text.begin(), text.end());
}

}  // namespace strc::codegen
