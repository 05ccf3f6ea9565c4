// Calls of C functions (language.md 15.3).

#include "codegen/detail/body_emitter.h"

namespace strc::codegen {

namespace {

bool isTruth(const Type* type) { return type->is(TypeKind::Boolean) || type->is(TypeKind::Bit); }

}  // namespace

/// An address where the function lies in this process, else its symbol, which the linker finds.
llvm::Value* BodyEmitter::nativeEntry(const ir::Native& native, llvm::FunctionType* type) {
    const NativePlace place = m.options.native ? m.options.native(native) : NativePlace{};
    if (!place.exists) return nullptr;
    if (!place.address) return m.module.getOrInsertFunction(symbolOf(native), type).getCallee();
    llvm::Value* address = b.getInt64(reinterpret_cast<std::uintptr_t>(place.address));
    return b.CreateIntToPtr(address, m.ptr());
}

llvm::Value* BodyEmitter::nativeArgument(const Instr& instr, std::size_t k) {
    llvm::Value* x = operand(instr, k);
    const Type* type = typeOf(instr.operands[k]);
    if (isTruth(type)) return b.CreateZExt(x, m.i8());
    if (!type->is(TypeKind::String) || body.regs[instr.operands[k]].ref) return x;
    llvm::Value* text = b.CreateCall(m.runtime("strc_string_to_c"), {param(kEnv), x});
    return newString(instr, text);
}

void BodyEmitter::emitNative(const Instr& instr) {
    const ir::Native& native = m.program.natives[instr.callee.index];
    std::vector<llvm::Value*> args;
    std::vector<llvm::Type*> types;
    for (std::size_t k = 0; k < instr.operands.size(); ++k) {
        args.push_back(nativeArgument(instr, k));
        types.push_back(args.back()->getType());
    }
    const Type* result = instr.result == ir::kNone ? nullptr : native.result;
    llvm::Type* returned = native.result ? m.memoryType(native.result) : nullptr;
    if (!returned) returned = llvm::Type::getVoidTy(m.context);
    auto* type = llvm::FunctionType::get(returned, types, false);
    llvm::Value* entry = nativeEntry(native, type);
    require(b.getInt1(entry != nullptr),
            {base::Diag::NativeUnavailable, instr.range, {native.package, native.name}, 0});
    if (!entry)
        return set(instr, result ? llvm::PoisonValue::get(m.registerType(result)) : nullptr);
    llvm::CallInst* call = b.CreateCall(type, entry, args);
    call->setDoesNotThrow();
    for (unsigned k = 0; k < args.size(); ++k)
        if (types[k] == m.i8()) call->addParamAttr(k, llvm::Attribute::ZExt);
    if (!result) return;
    set(instr, isTruth(result) ? b.CreateICmpNE(call, b.getInt8(0)) : call);
}

}  // namespace strc::codegen
