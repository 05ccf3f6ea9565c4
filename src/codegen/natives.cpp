// Calls of what is not compiled: C functions (language.md 15.3), and filters whose shapes only the run knows.

#include "codegen/detail/calls.h"
#include "codegen/detail/scalars.h"
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

/// What never changes of it lies in the program; each argument has a place of its own for all calls of the body.
llvm::Value* tensorView(BodyContext& c, const Type* tensor, llvm::Value* data, std::size_t k) {
    const types::TensorLayout layout = types::layoutOf(tensor);
    auto list = [&](const std::vector<std::int64_t>& numbers) {
        return c.m.bytes(
            {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int64_t)});
    };
    llvm::Constant* values[] = {llvm::ConstantPointerNull::get(c.m.ptr()),
                                c.b.getInt32(kDLCPU),
                                c.b.getInt32(0),
                                c.b.getInt32(static_cast<std::uint32_t>(layout.shape.size())),
                                c.b.getInt8(layout.code),
                                c.b.getInt8(layout.bits),
                                c.b.getInt16(1),
                                list(layout.shape),
                                list(layout.strides),
                                c.b.getInt64(0)};
    llvm::StructType* type = viewType(c.m.context);
    while (c.views.size() <= k) c.views.push_back(nullptr);
    if (!c.views[k]) c.views[k] = c.entry.CreateAlloca(type, nullptr, "view");
    c.b.CreateStore(llvm::ConstantStruct::get(type, values), c.views[k]);
    c.b.CreateStore(data, c.views[k]);
    return c.views[k];
}

llvm::Value* nativeArgument(BodyContext& c, const Instr& instr, std::size_t k) {
    llvm::Value* x = c.operand(instr, k);
    const Type* type = c.typeOf(instr.operands[k]);
    if (isTruth(type)) return c.b.CreateZExt(x, c.m.i8());
    if (type->is(TypeKind::Tensor)) return tensorView(c, type, x, k);
    if (!type->is(TypeKind::String) || c.body.regs[instr.operands[k]].ref) return x;
    llvm::Value* text = c.b.CreateCall(c.m.runtime("strc_string_to_c"), {c.param(kEnv), x});
    return newString(c, instr, text);
}

}  // namespace

void emitNative(BodyContext& c, const Instr& instr) {
    const ir::Native& native = c.m.program.natives[instr.callee.index];
    std::vector<llvm::Value*> args;
    std::vector<llvm::Type*> types;
    for (std::size_t k = 0; k < instr.operands.size(); ++k) {
        args.push_back(nativeArgument(c, instr, k));
        types.push_back(args.back()->getType());
    }
    const Type* result = instr.result == ir::kNone ? nullptr : native.result;
    const bool fills = native.result && native.result->is(TypeKind::Tensor);
    llvm::Type* returned = native.result && !fills ? c.m.memoryType(native.result) : nullptr;
    if (!returned) returned = llvm::Type::getVoidTy(c.m.context);
    auto* type = llvm::FunctionType::get(returned, types, false);
    llvm::Value* place = entryOf(native, c.m, c.b, type);
    c.require(c.b.getInt1(place != nullptr),
              {base::Diag::NativeUnavailable, instr.range, {native.package, native.name}, 0});
    if (!place)
        return c.set(instr, result ? llvm::PoisonValue::get(c.m.registerType(result)) : nullptr);
    llvm::CallInst* call = c.b.CreateCall(type, place, args);
    call->setDoesNotThrow();
    for (unsigned k = 0; k < args.size(); ++k)
        if (types[k] == c.m.i8()) call->addParamAttr(k, llvm::Attribute::ZExt);
    if (!result) return;
    c.set(instr, isTruth(result) ? c.b.CreateICmpNE(call, c.b.getInt8(0)) : call);
}

void emitDynamicShape(BodyContext& c, const Instr& instr) {
    llvm::Value* node = c.b.getInt32(instr.callee.index);
    if (instr.flag) {
        c.b.CreateCall(c.m.runtime("strc_next"), {c.param(kEnv), node, c.operand(instr, 0)});
        return;
    }
    const std::size_t count = std::max<std::size_t>(instr.operands.size(), 1);
    auto* parts = c.entry.CreateAlloca(llvm::ArrayType::get(c.m.ptr(), count), nullptr, "parts");
    for (std::size_t k = 0; k < instr.operands.size(); ++k)
        c.b.CreateStore(c.operand(instr, k),
                        c.b.CreateConstInBoundsGEP2_64(parts->getAllocatedType(), parts, 0, k));
    c.set(instr, c.b.CreateCall(c.m.runtime("strc_fire"), {c.param(kEnv), node, parts}));
}

}  // namespace strc::codegen
