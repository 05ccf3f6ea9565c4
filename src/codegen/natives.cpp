// Calls of what is not compiled: C functions (language.md 15.3), and filters whose shapes only the run knows.

#include "codegen/detail/body_emitter.h"
#include "strc/dlpack.h"
#include "types/tensor_layout.h"

namespace strc::codegen {

namespace {

bool isTruth(const Type* type) { return type->is(TypeKind::Boolean) || type->is(TypeKind::Bit); }

/// DLTensor of strc/dlpack.h.
llvm::StructType* viewType(llvm::LLVMContext& context) {
    auto* i8 = llvm::Type::getInt8Ty(context);
    auto* i32 = llvm::Type::getInt32Ty(context);
    auto* ptr = llvm::PointerType::get(context, 0);
    return llvm::StructType::get(
        context, {ptr, i32, i32, i32, i8, i8, llvm::Type::getInt16Ty(context), ptr, ptr,
                  llvm::Type::getInt64Ty(context)});
}

/// An address where the function lies in this process, else its symbol, which the linker finds; null: nowhere.
llvm::Value* entryOf(const ir::Native& native, ModuleBuilder& m, llvm::IRBuilder<>& b,
                     llvm::FunctionType* type) {
    const NativeAddress place = m.options.native ? m.options.native(native) : NativeAddress{};
    if (!place.exists) return nullptr;
    if (!place.address) return m.module.getOrInsertFunction(symbolOf(native), type).getCallee();
    llvm::Value* address = b.getInt64(reinterpret_cast<std::uintptr_t>(place.address));
    return b.CreateIntToPtr(address, m.ptr());
}

}  // namespace

llvm::Value* BodyEmitter::nativeArgument(const Instr& instr, std::size_t k) {
    llvm::Value* x = operand(instr, k);
    const Type* type = typeOf(instr.operands[k]);
    if (isTruth(type)) return b.CreateZExt(x, m.i8());
    if (type->is(TypeKind::Tensor)) return tensorView(type, x, k);
    if (!type->is(TypeKind::String) || body.regs[instr.operands[k]].ref) return x;
    llvm::Value* text = b.CreateCall(m.runtime("strc_string_to_c"), {param(kEnv), x});
    return newString(instr, text);
}

/// What never changes of it lies in the program; each argument has a place of its own for all calls of the body.
llvm::Value* BodyEmitter::tensorView(const Type* tensor, llvm::Value* data, std::size_t k) {
    const types::TensorLayout layout = types::layoutOf(tensor);
    auto list = [&](const std::vector<std::int64_t>& numbers) {
        return m.bytes(
            {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int64_t)});
    };
    llvm::Constant* values[] = {llvm::ConstantPointerNull::get(m.ptr()),
                                b.getInt32(kDLCPU),
                                b.getInt32(0),
                                b.getInt32(static_cast<std::uint32_t>(layout.shape.size())),
                                b.getInt8(layout.code),
                                b.getInt8(layout.bits),
                                b.getInt16(1),
                                list(layout.shape),
                                list(layout.strides),
                                b.getInt64(0)};
    llvm::StructType* type = viewType(m.context);
    while (views.size() <= k) views.push_back(nullptr);
    if (!views[k]) views[k] = entry.CreateAlloca(type, nullptr, "view");
    b.CreateStore(llvm::ConstantStruct::get(type, values), views[k]);
    b.CreateStore(data, views[k]);
    return views[k];
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
    const bool fills = native.result && native.result->is(TypeKind::Tensor);
    llvm::Type* returned = native.result && !fills ? m.memoryType(native.result) : nullptr;
    if (!returned) returned = llvm::Type::getVoidTy(m.context);
    auto* type = llvm::FunctionType::get(returned, types, false);
    llvm::Value* place = entryOf(native, m, b, type);
    require(b.getInt1(place != nullptr),
            {base::Diag::NativeUnavailable, instr.range, {native.package, native.name}, 0});
    if (!place)
        return set(instr, result ? llvm::PoisonValue::get(m.registerType(result)) : nullptr);
    llvm::CallInst* call = b.CreateCall(type, place, args);
    call->setDoesNotThrow();
    for (unsigned k = 0; k < args.size(); ++k)
        if (types[k] == m.i8()) call->addParamAttr(k, llvm::Attribute::ZExt);
    if (!result) return;
    set(instr, isTruth(result) ? b.CreateICmpNE(call, b.getInt8(0)) : call);
}

/// Its operands are memory.
void BodyEmitter::emitDynamicShape(const Instr& instr) {
    llvm::Value* node = b.getInt32(instr.callee.index);
    if (instr.flag) {
        b.CreateCall(m.runtime("strc_next"), {param(kEnv), node, operand(instr, 0)});
        return;
    }
    const std::size_t count = std::max<std::size_t>(instr.operands.size(), 1);
    auto* parts = entry.CreateAlloca(llvm::ArrayType::get(m.ptr(), count), nullptr, "parts");
    for (std::size_t k = 0; k < instr.operands.size(); ++k)
        b.CreateStore(operand(instr, k),
                      b.CreateConstInBoundsGEP2_64(parts->getAllocatedType(), parts, 0, k));
    set(instr, b.CreateCall(m.runtime("strc_fire"), {param(kEnv), node, parts}));
}

}  // namespace strc::codegen
