#include "codegen/detail/target.h"

#include "base/assert.h"
#include "codegen/detail/module_builder.h"

namespace strc::codegen {
namespace {

void initialize() {
    static bool done = [] {
        llvm::InitializeNativeTarget();
        llvm::InitializeNativeTargetAsmPrinter();
        llvm::InitializeNativeTargetAsmParser();
        return true;
    }();
    (void)done;
}

llvm::CodeGenOptLevel levelOf(const Options& options) {
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

llvm::orc::JITTargetMachineBuilder targetBuilder(const Options& options) {
    initialize();
    auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
    STRC_ASSERT(bool(builder), "LLVM does not know this processor");
    if (!options.processor.empty()) {
        builder->setCPU(options.processor);
        builder->getFeatures() = llvm::SubtargetFeatures();
    }
    builder->setCodeGenOptLevel(levelOf(options));
    builder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    builder->setRelocationModel(llvm::Reloc::PIC_);
    return std::move(*builder);
}

std::unique_ptr<llvm::TargetMachine> targetMachine(const Options& options) {
    auto machine = targetBuilder(options).createTargetMachine();
    STRC_ASSERT(bool(machine), "LLVM has no target for this processor");
    return std::move(*machine);
}

std::string printAssembly(const Module& made, const Options& options) {
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
