// Several firings of a filter without state at once, one in each lane of vectors. What is the same in all of
// them stays scalar (ir/varying.h). A local of which each lane has its own is a row: for each scalar
// in it `width` values beside each other, so all its offsets are `width` times the language's. A complex
// number has first the real parts of all lanes, then the imaginary ones.

#include "base/assert.h"
#include "codegen/detail/body_emitter.h"

namespace strc::codegen {

void BodyEmitter::emitVectorised(const ir::Varying& facts, const VariantShape& shape) {
    varying = &facts;
    width = shape.width;
    itemParts.partsComplex = shape.partsComplex;
    isTransposed = shape.which == VectorVariant::Transposed || shape.which == VectorVariant::Soa;
    leavesRows = shape.which == VectorVariant::Soa;
    soaLength = static_cast<std::uint64_t>(shape.inLength);
    rowLength = static_cast<std::uint64_t>(shape.outLength != 0 ? shape.outLength : width);
    emit();
    if (!giveUp) return;
    giveUp->moveAfter(&function->back());
    llvm::IRBuilder<>(giveUp).CreateRet(b.getFalse());
}

bool BodyEmitter::isVaryingLocal(ir::VarRef var) const {
    return varying && var.space == ir::Space::Local && varying->locals[var.index];
}

std::uint64_t BodyEmitter::rows(Reg ref) const {
    const bool isRow =
        varying && varying->roots[ref] != ir::kNone && varying->locals[varying->roots[ref]];
    return isRow ? width : 1;
}

// ---------------------------------------------------------------- shapes

llvm::Type* BodyEmitter::shaped(llvm::Value* x, llvm::Type* type) const {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    return varying && vector && vector->getNumElements() == width ? vectorOf(type) : type;
}

bool BodyEmitter::isRow(llvm::Value* x, unsigned parts) const {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    return varying && vector && vector->getNumElements() == width * parts;
}

llvm::Value* BodyEmitter::widen(llvm::Value* x) {
    if (!x->getType()->isVectorTy()) return b.CreateVectorSplat(width, x);
    if (isRow(x) || isRow(x, 2)) return x;
    return joined(b.CreateVectorSplat(width, b.CreateExtractElement(x, std::uint64_t{0})),
                  b.CreateVectorSplat(width, b.CreateExtractElement(x, std::uint64_t{1})));
}

llvm::FixedVectorType* BodyEmitter::rowOf(const Type* type) {
    if (type->is(TypeKind::Complex)) return llvm::FixedVectorType::get(b.getFloatTy(), 2 * width);
    return vectorOf(m.memoryType(type));
}

/// `x` in the lanes of `where`.
llvm::Value* BodyEmitter::chosen(llvm::Value* where, llvm::Value* x, llvm::Value* otherwise) {
    return b.CreateSelect(isRow(x, 2) ? joined(where, where) : where, x, otherwise);
}

llvm::Value* BodyEmitter::joined(llvm::Value* re, llvm::Value* im) {
    std::vector<int> order(2 * std::size_t{width});
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    return b.CreateShuffleVector(widen(re), widen(im), order);
}

llvm::Value* BodyEmitter::ofItems(const Type* type, llvm::Value* items) {
    if (!type->is(TypeKind::Complex)) {
        llvm::Type* wanted = vectorOf(m.registerType(type));
        return items->getType() == wanted ? items : b.CreateTrunc(items, wanted);
    }
    std::vector<int> order(2 * std::size_t{width});
    for (unsigned k = 0; k < width; ++k) {
        order[k] = static_cast<int>(2 * k);
        order[width + k] = static_cast<int>(2 * k + 1);
    }
    return b.CreateShuffleVector(b.CreateBitCast(items, rowOf(type)), order);
}

llvm::Value* BodyEmitter::toItems(const Type* type, llvm::Value* row) {
    row = widen(row);
    llvm::Type* wanted = vectorOf(itemType(type));
    if (!type->is(TypeKind::Complex))
        return row->getType() == wanted ? row : b.CreateZExt(row, wanted);
    std::vector<int> order;
    for (unsigned k = 0; k < width; ++k) {
        order.push_back(static_cast<int>(k));
        order.push_back(static_cast<int>(width + k));
    }
    return b.CreateBitCast(b.CreateShuffleVector(row, order), wanted);
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
    llvm::Value* row = b.CreateAlignedLoad(rowOf(type), at, align);
    return type->is(TypeKind::Complex) ? row : ofItems(type, row);
}

void BodyEmitter::storeRow(const Type* type, llvm::Value* at, llvm::Value* stored) {
    stored = widen(stored);
    if (mask) stored = chosen(mask, stored, loadRow(type, at));
    llvm::Type* inMemory = rowOf(type);
    if (stored->getType() != inMemory) stored = b.CreateZExt(stored, inMemory);
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    b.CreateAlignedStore(stored, at, align);
}

llvm::Value* BodyEmitter::loadItems(const Type* type, llvm::Value* at) {
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    return ofItems(type, b.CreateAlignedLoad(vectorOf(itemType(type)), at, align));
}

llvm::Value* BodyEmitter::gather(llvm::Type* scalar, llvm::Value* places, llvm::Align align) {
    return b.CreateMaskedGather(
        vectorOf(scalar), places, align,
        mask ? mask : llvm::Constant::getAllOnesValue(vectorOf(b.getInt1Ty())));
}

/// From memory that all lanes share.
llvm::Value* BodyEmitter::gatherItems(const Type* type, llvm::Value* places) {
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    return ofItems(type, gather(itemType(type), places, align));
}

/// From where the lanes' places lead.
llvm::Value* BodyEmitter::gatherAt(const Type* type, Reg ref) {
    if (rows(ref) == 1) return gatherItems(type, value(ref));
    if (!type->is(TypeKind::Complex))
        return gatherItems(type, inLanes(value(ref), m.memoryType(type)));
    llvm::Value* places = inLanes(value(ref), b.getFloatTy());
    return joined(gather(b.getFloatTy(), places, llvm::Align(4)),
                  gather(b.getFloatTy(), imaginaryPlaces(places), llvm::Align(4)));
}

void BodyEmitter::scatterAt(const Type* type, Reg ref, llvm::Value* stored) {
    STRC_ASSERT(rows(ref) == width, "lanes write to memory that they share");
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    if (type->is(TypeKind::Complex)) {
        stored = widen(stored);
        llvm::Value* places = inLanes(value(ref), b.getFloatTy());
        b.CreateMaskedScatter(part(stored, 0), places, align, mask);
        b.CreateMaskedScatter(part(stored, 1), imaginaryPlaces(places), align, mask);
    } else {
        llvm::Value* places = inLanes(value(ref), m.memoryType(type));
        b.CreateMaskedScatter(toItems(type, stored), places, align, mask);
    }
}

/// Places in memory of which each lane has its own.
llvm::Value* BodyEmitter::inLanes(llvm::Value* places, llvm::Type* scalar) {
    return b.CreateInBoundsGEP(scalar, places, laneNumbers());
}

llvm::Value* BodyEmitter::imaginaryPlaces(llvm::Value* places) {
    return b.CreateInBoundsGEP(b.getFloatTy(), places, b.getInt64(width));
}

// ---------------------------------------------------------------- items

/// Lane k has the item `k * stride` further on.
llvm::Value* BodyEmitter::loadStrided(const Type* type, llvm::Value* first, std::int64_t stride) {
    if (stride == 1) return loadItems(type, first);
    if (stride == 0) return widen(m.load(b, type, first));
    llvm::Type* item = itemType(type);
    auto items = static_cast<unsigned>(stride) * (width - 1) + 1;
    auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
    llvm::Value* all = b.CreateAlignedLoad(llvm::FixedVectorType::get(item, items), first, align);
    std::vector<int> places(width);
    for (unsigned k = 0; k < width; ++k) places[k] = static_cast<int>(k * stride);
    return ofItems(type, b.CreateShuffleVector(all, places));
}

llvm::Value* BodyEmitter::inputLanes(const Instr& instr, llvm::Value* index) {
    if (horizontal) return branchItems(instr, index);
    llvm::Type* item = m.memoryType(instr.type);
    const bool isSame = !index->getType()->isVectorTy();
    if (isSame && kernel.dealtIn) return loadItems(instr.type, dealtItem(kIn, index));
    if (kernel.dealtIn) return gatherDealt(instr.type, index);
    if (isSame && soa) return loadSoa(instr.type, index, static_cast<std::uint64_t>(rates.pop.max));
    if (isSame)
        return loadStrided(instr.type, b.CreateInBoundsGEP(item, param(kIn), index), rates.pop.max);
    llvm::Value* begin =
        b.CreateMul(b.CreateZExt(laneNumbers(), vectorOf(m.i64())),
                    llvm::ConstantInt::getSigned(vectorOf(m.i64()), rates.pop.max));
    return gatherItems(instr.type,
                       b.CreateGEP(item, param(kIn), b.CreateAdd(begin, protect(index, 0))));
}

/// Each lane looks at a branch of its own.
llvm::Value* BodyEmitter::gatherDealt(const Type* type, llvm::Value* index) {
    llvm::Value* places = b.CreateGEP(m.ptr(), param(kIn), protect(index, 0));
    llvm::Value* branches =
        b.CreateMaskedGather(vectorOf(m.ptr()), places, llvm::Align(8),
                             llvm::Constant::getAllOnesValue(vectorOf(b.getInt1Ty())));
    return gatherItems(type, b.CreateGEP(m.memoryType(type), branches, laneNumbers()));
}

/// What is pushed waits in rows until the firings are over: the items of one lane lie together.
void BodyEmitter::pushLanes(const Instr& instr, llvm::Value* index) {
    if (horizontal) {
        auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(instr.type)));
        b.CreateAlignedStore(toItems(instr.type, operand(instr, 0)),
                             branchAddress(kOut, instr.type, index), align);
        return;
    }
    if (leavesRows) pushedItems = param(kOut);
    const Type* part = itemParts.typeOf(instr.type);
    const std::uint64_t parts = itemParts.countOf(instr.type);
    llvm::FixedVectorType* row = vectorOf(itemType(part));
    if (!pushedItems) {
        const auto count = static_cast<std::uint64_t>(rates.push.max) * parts;
        pushedItems = entry.CreateAlloca(llvm::ArrayType::get(row, count), nullptr, "items");
    }
    const auto align = llvm::Align(static_cast<std::uint64_t>(types::alignOf(part)));
    for (std::uint64_t k = 0; k < parts; ++k) {
        llvm::Value* items = parts == 1 ? toItems(instr.type, operand(instr, 0))
                                        : this->part(widen(operand(instr, 0)), k);
        llvm::Value* number = b.CreateAdd(b.CreateMul(index, b.getInt64(parts)), b.getInt64(k));
        llvm::Value* to = itemAt(pushedItems, part, b.CreateMul(number, b.getInt64(rowLength)));
        if (mask) items = b.CreateSelect(mask, items, b.CreateAlignedLoad(row, to, align));
        b.CreateAlignedStore(items, to, align);
    }
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
                if (i.type->is(TypeKind::Int) || i.type->is(TypeKind::Long)) return false;
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

void BodyEmitter::emitVaryingIf(const Instr& instr) {
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
    if (instr.result != ir::kNone) set(instr, chosen(condition, results[0], results[1]));
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
