// What led to each instance while the graph was built, for debuggers: an array of texts beside the code.

#include "codegen/detail/debug.h"
#include "codegen/detail/llvm_backend.h"

namespace strc::codegen {

void DebugInfo::addStages() {
    const std::vector<std::string>& stages = plan.program->stages;
    if (stages.empty()) return;
    llvm::LLVMContext& context = module.getContext();
    std::vector<llvm::Constant*> texts;
    for (const std::string& stage : stages) {
        auto* text = llvm::ConstantDataArray::getString(context, stage);
        texts.push_back(new llvm::GlobalVariable(
            module, text->getType(), true, llvm::GlobalValue::PrivateLinkage, text, "strc_stage"));
    }
    auto* type = llvm::ArrayType::get(llvm::PointerType::getUnqual(context), texts.size());
    auto* all = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantArray::get(type, texts), "strc_stages");
    auto* text = build.createPointerType(scalar("char", 8, llvm::dwarf::DW_ATE_signed_char), 64);
    llvm::Metadata* extent = build.getOrCreateSubrange(0, static_cast<std::int64_t>(texts.size()));
    auto* shown =
        build.createArrayType(64 * texts.size(), 0, text, build.getOrCreateArray({extent}));
    all->addDebugInfo(build.createGlobalVariableExpression(unit, "strc_stages", "", file(mainFile),
                                                           0, shown, true));
    llvm::appendToCompilerUsed(module, {all});
}

}  // namespace strc::codegen
