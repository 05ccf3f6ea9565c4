#include "codegen/detail/body_context.h"

#include "ir/scalarise.h"

namespace strc::codegen {

BodyContext::BodyContext(ModuleBuilder& m, KernelFunctions& kernel, const ir::StreamCode* code,
                         const ir::Body& body, llvm::Function& function,
                         const std::vector<Param>* variant)
    : m(m),
      kernel(kernel),
      proofs(m.proofs(kernel)),
      code(code),
      body(body),
      function(&function),
      variant(variant),
      hasVectors(ir::hasLanes(body)),
      b(m.context),
      entry(m.context),
      values(body.regs.size()),
      locals(body.locals.size()) {
    if (!m.options.fastMath) return;
    llvm::FastMathFlags flags;
    flags.setAllowContract();
    flags.setAllowReassoc();
    flags.setNoSignedZeros();  // without it nothing is reassociated
    b.setFastMathFlags(flags);
}

llvm::BasicBlock* BodyContext::newBlock(const char* name) {
    return llvm::BasicBlock::Create(m.context, name, function);
}

bool BodyContext::isFunction() const {
    if (variant) return false;
    return body.kind == ir::BodyKind::Function || body.kind == ir::BodyKind::Handler;
}

bool BodyContext::isChecked(const Instr& instr) const {
    return instr.checked && (predicate || !proofs.contains(&instr));
}

void BodyContext::poll() { emitPoll(m, b, param(kEnv), shared.leave); }

void BodyContext::check(llvm::Value* holds, Site site, llvm::Value* first, llvm::Value* second) {
    if (m.options.checks) require(holds, std::move(site), first, second);
}

void BodyContext::require(llvm::Value* holds, Site site, llvm::Value* first, llvm::Value* second) {
    if (predicate) holds = b.CreateOr(holds, b.CreateNot(predicate));
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
    llvm::BasicBlock* fine = newBlock("fine");
    llvm::BasicBlock* fault = newBlock("fault");
    b.CreateCondBr(holds, fine, fault, llvm::MDBuilder(m.context).createLikelyBranchWeights());
    b.SetInsertPoint(fault);
    auto number = [&](llvm::Value* v) -> llvm::Value* {
        return v ? b.CreateSExtOrTrunc(v, m.i64()) : b.getInt64(0);
    };
    int id = m.site(std::move(site));
    b.CreateCall(m.runtime("strc_trap"), {param(kEnv), b.getInt32(static_cast<std::uint32_t>(id)),
                                          param(kNode), number(first), number(second)});
    b.CreateUnreachable();
    b.SetInsertPoint(fine);
}

std::uint64_t BodyContext::localBytes(std::size_t local) const {
    return static_cast<std::uint64_t>(types::sizeOf(body.locals[local].type));
}

}  // namespace strc::codegen
