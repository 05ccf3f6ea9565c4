// Several firings of a filter without state at once, one in each lane of vectors. What is the same in all of
// them stays scalar (ir/lanes.h). A local of which each lane has its own is a row: for each scalar
// in it `width` values beside each other, so all its offsets are `width` times the language's.

#include "base/assert.h"
#include "codegen/detail/body_emitter.h"

namespace strc::codegen {

void BodyEmitter::emitLanes(const ir::Lanes& facts, unsigned lanesAtOnce) {
    lanes = &facts;
    width = lanesAtOnce;
    emit();
    if (!giveUp) return;
    giveUp->moveAfter(&function.back());
    llvm::IRBuilder<>(giveUp).CreateRet(b.getFalse());
}

// ---------------------------------------------------------------- shapes

llvm::Type* BodyEmitter::shaped(llvm::Value* x, llvm::Type* type) const {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    return lanes && vector && vector->getNumElements() == width ? vectorOf(type) : type;
}

llvm::Value* BodyEmitter::widen(llvm::Value* x) {
    return x->getType()->isVectorTy() ? x : b.CreateVectorSplat(width, x);
}

llvm::Value* BodyEmitter::same(const Instr& instr, std::size_t k) {
    return isVarying(instr.result) ? widen(operand(instr, k)) : operand(instr, k);
}

llvm::Value* BodyEmitter::laneNumbers() {
    std::vector<std::uint32_t> numbers(width);
    for (std::uint32_t k = 0; k < width; ++k) numbers[k] = k;
    return llvm::ConstantDataVector::get(m.context, numbers);
}

// ---------------------------------------------------------------- memory

llvm::Value* BodyEmitter::loadRow(const Type* type, llvm::Value* at) {
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    llvm::Value* row = b.CreateAlignedLoad(vectorOf(m.memoryType(type)), at, align);
    llvm::Type* wanted = vectorOf(m.registerType(type));
    return row->getType() == wanted ? row : b.CreateTrunc(row, wanted);
}

void BodyEmitter::storeRow(const Type* type, llvm::Value* at, llvm::Value* stored) {
    stored = widen(stored);
    if (mask) stored = b.CreateSelect(mask, stored, loadRow(type, at));
    llvm::Type* inMemory = vectorOf(m.memoryType(type));
    if (stored->getType() != inMemory) stored = b.CreateZExt(stored, inMemory);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    b.CreateAlignedStore(stored, at, align);
}

llvm::Value* BodyEmitter::gather(const Type* type, llvm::Value* places) {
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    llvm::Value* row = b.CreateMaskedGather(
        vectorOf(m.memoryType(type)), places, align,
        mask ? mask : llvm::Constant::getAllOnesValue(vectorOf(b.getInt1Ty())));
    llvm::Type* wanted = vectorOf(m.registerType(type));
    return row->getType() == wanted ? row : b.CreateTrunc(row, wanted);
}

void BodyEmitter::scatter(const Type* type, llvm::Value* places, llvm::Value* stored) {
    stored = widen(stored);
    llvm::Type* inMemory = vectorOf(m.memoryType(type));
    if (stored->getType() != inMemory) stored = b.CreateZExt(stored, inMemory);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    b.CreateMaskedScatter(stored, places, align, mask);
}

/// Places in memory of which each lane has its own.
llvm::Value* BodyEmitter::inLanes(llvm::Value* places, Reg ref, const Type* type) {
    if (rows(ref) == 1) return places;
    return b.CreateInBoundsGEP(m.memoryType(type), places, laneNumbers());
}

// ---------------------------------------------------------------- items

/// Lane k has the item `k * stride` further on.
llvm::Value* BodyEmitter::loadStrided(const Type* type, llvm::Value* first, std::int64_t stride) {
    if (stride == 1) return loadRow(type, first);
    if (stride == 0) return widen(m.load(b, type, first));
    llvm::Type* item = m.memoryType(type);
    auto items = static_cast<unsigned>(stride) * (width - 1) + 1;
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    llvm::Value* all = b.CreateAlignedLoad(llvm::FixedVectorType::get(item, items), first, align);
    std::vector<int> chosen(width);
    for (unsigned k = 0; k < width; ++k) chosen[k] = static_cast<int>(k * stride);
    llvm::Value* row = b.CreateShuffleVector(all, chosen);
    llvm::Type* wanted = vectorOf(m.registerType(type));
    return row->getType() == wanted ? row : b.CreateTrunc(row, wanted);
}

llvm::Value* BodyEmitter::inputLanes(const Instr& instr, llvm::Value* index) {
    llvm::Type* item = m.memoryType(instr.type);
    if (!index->getType()->isVectorTy() && columns) return loadColumn(instr.type, index);
    if (!index->getType()->isVectorTy())
        return loadStrided(instr.type, b.CreateInBoundsGEP(item, param(kIn), index), rates.pop.max);
    llvm::Value* begin =
        b.CreateMul(b.CreateZExt(laneNumbers(), vectorOf(m.i64())),
                    llvm::ConstantInt::getSigned(vectorOf(m.i64()), rates.pop.max));
    return gather(instr.type, b.CreateGEP(item, param(kIn), b.CreateAdd(begin, protect(index, 0))));
}

/// What is pushed waits in rows until the firings are over: the items of one lane lie together.
void BodyEmitter::pushLanes(const Instr& instr, llvm::Value* index) {
    llvm::Type* row = vectorOf(m.memoryType(instr.type));
    if (!pushedItems) {
        auto count = static_cast<std::uint64_t>(rates.push.max);
        pushedItems = entry.CreateAlloca(llvm::ArrayType::get(row, count), nullptr, "items");
    }
    storeRow(instr.type, b.CreateInBoundsGEP(row, pushedItems, index), operand(instr, 0));
}

// ---------------------------------------------------------------- control

namespace {

/// May a block run where no lane wants it to?
bool isHarmless(const ir::Body& body, ir::BlockId id) {
    if (id == ir::kNone) return true;
    for (const Instr& i : body.blocks[id].instrs) {
        switch (i.op) {
            case Op::Loop:
            case Op::Elem:
            case Op::Peek:
            case Op::Pop:
            case Op::Push:
            case Op::Discard:
            case Op::Math: return false;
            case Op::Div:
            case Op::Rem:
                if (i.type->is(TypeKind::Int)) return false;
                break;
            case Op::If:
                if (!isHarmless(body, i.blocks[0]) || !isHarmless(body, i.blocks[1])) return false;
                break;
            default: break;
        }
    }
    return true;
}

}  // namespace

void BodyEmitter::emitLaneIf(const Instr& instr) {
    llvm::Value* condition = value(instr.operands[0]);
    llvm::Value* around = mask;
    llvm::Value* counters[] = {popped, pushed};
    llvm::Value *before[2], *after[2][2], *any[2], *results[2] = {nullptr, nullptr};
    for (int c = 0; c < 2; ++c) before[c] = b.CreateLoad(m.i64(), counters[c]);
    for (int side = 0; side < 2; ++side) {
        const ir::BlockId id = instr.blocks[static_cast<std::size_t>(side)];
        mask = side == 0 ? condition : b.CreateNot(condition);
        if (around) mask = b.CreateAnd(around, mask);
        any[side] = b.CreateOrReduce(mask);
        for (int c = 0; c < 2; ++c) b.CreateStore(before[c], counters[c]);
        llvm::BasicBlock *from = b.GetInsertBlock(), *join = nullptr;
        if (!isHarmless(body, id)) {
            llvm::BasicBlock* inside = newBlock("some");
            join = newBlock("all");
            b.CreateCondBr(any[side], inside, join);
            b.SetInsertPoint(inside);
        }
        block(id);
        if (instr.result != ir::kNone) results[side] = widen(yielded);
        if (join) {
            llvm::BasicBlock* end = b.GetInsertBlock();
            b.CreateBr(join);
            b.SetInsertPoint(join);
            if (results[side]) {
                llvm::PHINode* phi = b.CreatePHI(results[side]->getType(), 2);
                phi->addIncoming(results[side], end);
                phi->addIncoming(llvm::Constant::getNullValue(results[side]->getType()), from);
                results[side] = phi;
            }
        }
        for (int c = 0; c < 2; ++c) after[side][c] = b.CreateLoad(m.i64(), counters[c]);
    }
    mask = around;
    // All lanes that run go on from the same item.
    for (int c = 0; c < 2; ++c) {
        llvm::Value* both = b.CreateAnd(any[0], any[1]);
        checkLanes(b.CreateOr(b.CreateNot(both), b.CreateICmpEQ(after[0][c], after[1][c])));
        b.CreateStore(b.CreateSelect(any[0], after[0][c], after[1][c]), counters[c]);
    }
    if (instr.result != ir::kNone) set(instr, b.CreateSelect(condition, results[0], results[1]));
}

/// A value for which lanes that do not run cannot fail.
llvm::Value* BodyEmitter::protect(llvm::Value* x, std::uint64_t harmless) {
    if (!mask || !x->getType()->isVectorTy()) return x;
    return b.CreateSelect(mask, x, llvm::ConstantInt::get(x->getType(), harmless));
}

void BodyEmitter::checkLanes(llvm::Value* holds) {
    if (holds->getType()->isVectorTy()) {
        if (mask) holds = b.CreateOr(holds, b.CreateNot(mask));
        holds = b.CreateAndReduce(holds);
    }
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(holds); known && known->isOne()) return;
    if (!giveUp) giveUp = newBlock("give.up");
    llvm::BasicBlock* fine = newBlock("fine");
    b.CreateCondBr(holds, fine, giveUp, llvm::MDBuilder(m.context).createLikelyBranchWeights());
    b.SetInsertPoint(fine);
}

llvm::Value* BodyEmitter::eachLane(
    llvm::ArrayRef<llvm::Value*> args,
    llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> make) {
    llvm::Value* row = nullptr;
    for (std::uint64_t k = 0; k < width; ++k) {
        std::vector<llvm::Value*> own;
        for (llvm::Value* arg : args) own.push_back(b.CreateExtractElement(arg, k));
        llvm::Value* made = make(own);
        if (!row) row = llvm::PoisonValue::get(vectorOf(made->getType()));
        row = b.CreateInsertElement(row, made, k);
    }
    return row;
}

}  // namespace strc::codegen
