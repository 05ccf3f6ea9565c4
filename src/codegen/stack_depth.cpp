#include "codegen/detail/stack_depth.h"

#include <algorithm>
#include <vector>

#include "codegen/detail/llvm_backend.h"

namespace strc::codegen {
namespace {

/// Bytes of a call for the address where it returns to, and for registers that are saved.
constexpr std::uint64_t kSaved = 64;

/// What it calls in this module, and the functions that it hands to the runtime.
std::vector<const llvm::Function*> calleesOf(const llvm::Function& caller) {
    std::vector<const llvm::Function*> callees;
    for (const llvm::Instruction& instr : llvm::instructions(caller)) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instr);
        if (!call) continue;
        for (const llvm::Value* operand : call->operands())
            if (auto* callee = llvm::dyn_cast<llvm::Function>(operand);
                callee && !callee->isDeclaration())
                callees.push_back(callee);
    }
    return callees;
}

class Deepest {
public:
    explicit Deepest(const std::map<const llvm::Function*, std::uint64_t>& sizes) : frames(sizes) {}

    std::uint64_t from(const llvm::Function& function) {
        const auto [place, isNew] = known.try_emplace(&function, 0);
        if (!isNew) return place->second;
        std::uint64_t below = 0;
        for (const llvm::Function* callee : calleesOf(function))
            below = std::max(below, from(*callee));
        const auto own = frames.find(&function);
        return known[&function] = below + kSaved + (own == frames.end() ? 0 : own->second);
    }

private:
    const std::map<const llvm::Function*, std::uint64_t>& frames;
    std::map<const llvm::Function*, std::uint64_t> known;
};

}  // namespace

StackDepth::StackDepth(llvm::Module& measured) : module(measured) {
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) function.addFnAttr("warn-stack-size", "0");
    module.getContext().setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo* info, void* self) {
            if (auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(info))
                static_cast<StackDepth*>(self)->frames[&frame->getFunction()] =
                    frame->getResourceSize();
        },
        this);
}

StackDepth::~StackDepth() { module.getContext().setDiagnosticHandlerCallBack(nullptr); }

std::uint64_t StackDepth::bytes() const {
    Deepest deepest(frames);
    std::uint64_t most = 0;
    for (const llvm::Function& function : module)
        if (!function.isDeclaration()) most = std::max(most, deepest.from(function));
    return most;
}

}  // namespace strc::codegen
