#include "codegen/detail/instrument.h"

namespace strc::codegen {
namespace {

/// What only runs other passes: its time is theirs.
bool isFrame(llvm::StringRef pass) {
    return llvm::isSpecialPass(pass, {"PassManager", "PassAdaptor", "AnalysisManagerProxy",
                                      "DevirtSCCRepeatedPass", "ModuleInlinerWrapperPass"});
}

class Gate : public llvm::OptPassGate {
public:
    explicit Gate(base::Passes& passes) : passes(passes) {}

    bool shouldRunPass(llvm::StringRef pass, llvm::StringRef subject) override {
        return passes.countApplication({pass.data(), pass.size()},
                                       {subject.data(), subject.size()});
    }
    bool isEnabled() const override { return passes.isBisecting(); }

private:
    base::Passes& passes;
};

}  // namespace

void measurePasses(llvm::PassInstrumentationCallbacks& callbacks, base::Passes& passes) {
    if (!passes.isMeasuring()) return;
    callbacks.registerBeforeNonSkippedPassCallback([&](llvm::StringRef pass, llvm::Any) {
        if (!isFrame(pass)) passes.begin(callbacks.getPassNameForClassName(pass).str());
    });
    auto end = [&](llvm::StringRef pass) {
        if (!isFrame(pass)) passes.end();
    };
    callbacks.registerAfterPassCallback(
        [end](llvm::StringRef pass, llvm::Any, const llvm::PreservedAnalyses&) { end(pass); });
    callbacks.registerAfterPassInvalidatedCallback(
        [end](llvm::StringRef pass, const llvm::PreservedAnalyses&) { end(pass); });
}

std::unique_ptr<llvm::OptPassGate> passGate(base::Passes& passes) {
    return std::make_unique<Gate>(passes);
}

}  // namespace strc::codegen
