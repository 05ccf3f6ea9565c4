// Equal filters of a splitjoin, each in a lane (elab::HorizontalFusion). Their windows lie in each other, item by item, so what the lanes read
// and write together lies together; so do their locals that live on.

#include <algorithm>

#include "codegen/detail/body_emitter.h"

namespace strc::codegen {

namespace {

std::vector<std::uint32_t> localsOf(const elab::HorizontalFusion& horizontal) {
    std::vector<std::uint32_t> locals;
    for (const elab::HorizontalFusion::Own& own : horizontal.own) locals.push_back(own.local);
    return locals;
}

}  // namespace

/// Lanes after lanes, the last ones perhaps fewer.
void emitHorizontal(ModuleBuilder& m, KernelFunctions& made, llvm::Function& function) {
    const elab::Kernel& kernel = *made.kernel;
    const elab::HorizontalFusion& all = *kernel.horizontal;
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(m.context, "entry", &function));
    auto further = [&](unsigned side, const Type* type, llvm::Value* items) {
        auto* item = llvm::ArrayType::get(m.i8(), static_cast<std::uint64_t>(types::sizeOf(type)));
        return b.CreateInBoundsGEP(item, function.getArg(side), items);
    };
    auto fire = [&](llvm::Value* from, std::int64_t width) {
        llvm::Value* bytes = b.CreateMul(from, b.getInt64(static_cast<std::uint64_t>(all.size)));
        b.CreateCall(
            m.variant(made, {VectorVariant::Horizontal, static_cast<unsigned>(width)}),
            {function.getArg(kEnv), b.CreateInBoundsGEP(m.i8(), function.getArg(kFields), bytes),
             all.isShared ? function.getArg(kIn) : further(kIn, kernel.input, from),
             further(kOut, kernel.output, from), function.getArg(kNode), function.getArg(kIter)});
    };
    const std::int64_t whole = all.count / all.width, rest = all.count % all.width;
    emitLoop(b, whole, [&](llvm::Value* group) {
        fire(b.CreateMul(group, b.getInt64(static_cast<std::uint64_t>(all.width))), all.width);
    });
    if (rest != 0) fire(b.getInt64(static_cast<std::uint64_t>(all.count - rest)), rest);
    b.CreateRetVoid();
}

void BodyEmitter::emitHorizontal(unsigned lanesAtOnce) {
    horizontal = &*kernel.kernel->horizontal;
    const ir::Varying facts = ir::findVarying(body, localsOf(*horizontal));
    varying = &facts;
    width = lanesAtOnce;
    emit();
    // What lanes that do not agree would lead to; these do.
    if (giveUp) new llvm::UnreachableInst(m.context, giveUp);
    varying = nullptr;
}

/// Locals that live on are where the fields would be, `width` of each scalar beside each other.
void BodyEmitter::bindOwn() {
    for (const elab::HorizontalFusion::Own& own : horizontal->own)
        locals[own.local].memory = entry.CreateConstInBoundsGEP1_64(
            m.i8(), param(kFields), static_cast<std::uint64_t>(own.offset) * width);
}

llvm::Value* BodyEmitter::branchItems(const Instr& instr, llvm::Value* index) {
    if (horizontal->isShared)
        return widen(m.load(b, instr.type, itemAt(param(kIn), instr.type, index)));
    return loadItems(instr.type, branchAddress(kIn, instr.type, index));
}

llvm::Value* BodyEmitter::branchAddress(unsigned side, const Type* type, llvm::Value* index) {
    const auto count = static_cast<std::uint64_t>(horizontal->count);
    return itemAt(param(side), type, b.CreateMul(index, b.getInt64(count)));
}

}  // namespace strc::codegen
