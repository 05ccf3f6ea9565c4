#include "codegen/detail/machine_code.h"

#include "codegen/detail/stack_depth.h"

namespace strc::codegen {
namespace {

/// LLVM has no way to leave its code generation. But it takes one function after the other through all
/// its passes: from the interrupt on they find nothing in it to work on.
class Emptier : public llvm::FunctionPass {
public:
    explicit Emptier(const Options& options) : FunctionPass(id), options(options) {}

    bool runOnFunction(llvm::Function& function) override {
        if (!options.isInterrupted()) return false;
        auto linkage = function.getLinkage();
        function.deleteBody();
        function.setLinkage(linkage);
        llvm::IRBuilder<>(llvm::BasicBlock::Create(function.getContext(), "", &function))
            .CreateUnreachable();
        return true;
    }

private:
    static char id;
    const Options& options;
};

char Emptier::id = 0;

/// Begins what is done with each function with the Emptier.
class Passes : public llvm::legacy::PassManager {
public:
    explicit Passes(const Options& options) : options(options) {}

    void add(llvm::Pass* pass) override {
        if (!begun && pass->getPassKind() == llvm::PT_Function) {
            begun = true;
            PassManager::add(new Emptier(options));
        }
        PassManager::add(pass);
    }

private:
    const Options& options;
    bool begun = false;
};

llvm::Error error(const char* why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
}

}  // namespace

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> makeObject(llvm::Module& module,
                                                               llvm::TargetMachine& machine,
                                                               const Options& options,
                                                               std::uint64_t& stackBytes) {
    llvm::SmallVector<char, 0> object;
    const StackDepth depth(module);
    {
        llvm::raw_svector_ostream out(object);
        Passes passes(options);
        llvm::MCContext* symbols = nullptr;
        if (machine.addPassesToEmitMC(passes, symbols, out))
            return error("LLVM makes no code for this processor");
        passes.run(module);
    }
    if (options.isInterrupted()) return error("interrupted");
    stackBytes = depth.bytes();
    return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(object), false);
}

}  // namespace strc::codegen
