// Operations on vectors. A vector of complex numbers has first the real parts of all lanes, then the imaginary ones; on
// tapes and in arrays of items each number lies as a pair.

#include "codegen/detail/vectors.h"

#include <numeric>

#include "base/assert.h"
#include "codegen/detail/scalars.h"
#include "codegen/detail/tapes.h"
#include "codegen/detail/transposes.h"

namespace strc::codegen {
namespace {

unsigned elementsOf(llvm::Value* x) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    return type ? type->getNumElements() : 0;
}

llvm::Align alignment(const Type* type) {
    return llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
}

llvm::Value* splat(BodyContext& c, const Type* vector, llvm::Value* x) {
    const auto lanes = static_cast<unsigned>(vector->extent);
    if (!vector->element->is(TypeKind::Complex)) return c.b.CreateVectorSplat(lanes, x);
    return joinedParts(c, c.b.CreateVectorSplat(lanes, complexPart(c, x, 0)),
                       c.b.CreateVectorSplat(lanes, complexPart(c, x, 1)));
}

llvm::Value* extractedLane(BodyContext& c, const Instr& instr) {
    llvm::Value* all = c.operand(instr, 0);
    if (!instr.type->is(TypeKind::Complex)) return c.b.CreateExtractElement(all, instr.index);
    return joinedParts(c, c.b.CreateExtractElement(all, instr.index),
                       c.b.CreateExtractElement(all, instr.index + elementsOf(all) / 2));
}

llvm::Value* selection(BodyContext& c, const Instr& instr) {
    llvm::Value *condition = c.operand(instr, 0), *one = c.operand(instr, 1);
    const unsigned lanes = elementsOf(condition);
    if (lanes != 0 && elementsOf(one) != lanes) condition = joinedParts(c, condition, condition);
    return c.b.CreateSelect(condition, one, c.operand(instr, 2));
}

llvm::Value* laneNumbers(BodyContext& c, unsigned lanes) {
    std::vector<std::uint32_t> numbers(lanes);
    std::iota(numbers.begin(), numbers.end(), 0);
    return llvm::ConstantDataVector::get(c.m.context, numbers);
}

llvm::Value* everyLane(BodyContext& c, unsigned lanes) {
    return llvm::Constant::getAllOnesValue(inLanes(lanes, c.b.getInt1Ty()));
}

llvm::Value* toItems(BodyContext& c, const Type* vector, llvm::Value* value) {
    const auto lanes = static_cast<unsigned>(vector->extent);
    llvm::Type* wanted = inLanes(lanes, itemType(c, vector->element));
    if (!vector->element->is(TypeKind::Complex))
        return value->getType() == wanted ? value : c.b.CreateZExt(value, wanted);
    std::vector<int> order;
    for (unsigned k = 0; k < lanes; ++k) {
        order.push_back(static_cast<int>(k));
        order.push_back(static_cast<int>(lanes + k));
    }
    return c.b.CreateBitCast(c.b.CreateShuffleVector(value, order), wanted);
}

llvm::Value* gatherItems(BodyContext& c, const Type* vector, llvm::Value* places,
                         llvm::Value* mask) {
    const auto lanes = static_cast<unsigned>(vector->extent);
    llvm::Type* items = inLanes(lanes, itemType(c, vector->element));
    return ofItems(c, vector, c.b.CreateMaskedGather(items, places, alignment(vector), mask));
}

/// Lane k has the item `k * stride` further on.
llvm::Value* loadStrided(BodyContext& c, const Type* vector, llvm::Value* first,
                         std::uint32_t stride) {
    const Type* type = vector->element;
    const auto lanes = static_cast<unsigned>(vector->extent);
    llvm::Type* item = itemType(c, type);
    if (stride == 1)
        return ofItems(c, vector,
                       c.b.CreateAlignedLoad(inLanes(lanes, item), first, alignment(type)));
    if (stride == 0) return splat(c, vector, c.m.load(c.b, type, first));
    if (stride > vector::kShuffled) {
        llvm::Value* numbers = c.b.CreateMul(laneNumbers(c, lanes),
                                             c.b.CreateVectorSplat(lanes, c.b.getInt32(stride)));
        return gatherItems(c, vector, c.b.CreateInBoundsGEP(item, first, numbers),
                           everyLane(c, lanes));
    }
    const unsigned items = stride * (lanes - 1) + 1;
    llvm::Value* all = c.b.CreateAlignedLoad(inLanes(items, item), first, alignment(type));
    std::vector<int> places(lanes);
    for (unsigned k = 0; k < lanes; ++k) places[k] = static_cast<int>(k * stride);
    return ofItems(c, vector, c.b.CreateShuffleVector(all, places));
}

void storeItems(BodyContext& c, const Type* vector, llvm::Value* at, llvm::Value* value) {
    c.b.CreateAlignedStore(toItems(c, vector, value), at, alignment(vector));
}

llvm::Value* ownPlaces(BodyContext& c, llvm::Value* places, llvm::Type* scalar, unsigned lanes) {
    return c.b.CreateInBoundsGEP(scalar, places, laneNumbers(c, lanes));
}

llvm::Value* gather(BodyContext& c, const Instr& instr) {
    const unsigned lanes = c.lanesOf(instr.result);
    llvm::Value* places = c.operand(instr, 0);
    llvm::Value* mask = instr.operands.size() > 1 ? c.operand(instr, 1) : everyLane(c, lanes);
    const bool isOwn = c.lanesOf(instr.operands[0]) != 0;
    const Type* type = instr.type->element;
    if (!isOwn) return gatherItems(c, instr.type, places, mask);
    if (!type->is(TypeKind::Complex))
        return gatherItems(c, instr.type, ownPlaces(c, places, c.m.memoryType(type), lanes), mask);
    llvm::Type* real = c.b.getFloatTy();
    llvm::Value* re = ownPlaces(c, places, real, lanes);
    llvm::Value* im = c.b.CreateInBoundsGEP(real, re, c.b.getInt64(lanes));
    llvm::Type* reals = inLanes(lanes, real);
    return joinedParts(c, c.b.CreateMaskedGather(reals, re, llvm::Align(4), mask),
                       c.b.CreateMaskedGather(reals, im, llvm::Align(4), mask));
}

void scatter(BodyContext& c, const Instr& instr) {
    const Type* vector = c.typeOf(instr.operands[1]);
    const unsigned lanes = c.lanesOf(instr.operands[1]);
    llvm::Value *places = c.operand(instr, 0), *stored = c.operand(instr, 1);
    llvm::Value* mask = instr.operands.size() > 2 ? c.operand(instr, 2) : everyLane(c, lanes);
    const bool isOwn = c.lanesOf(instr.operands[0]) != 0;
    const Type* type = vector->element;
    if (isOwn && type->is(TypeKind::Complex)) {
        llvm::Value* re = ownPlaces(c, places, c.b.getFloatTy(), lanes);
        llvm::Value* im = c.b.CreateInBoundsGEP(c.b.getFloatTy(), re, c.b.getInt64(lanes));
        c.b.CreateMaskedScatter(complexPart(c, stored, 0), re, llvm::Align(4), mask);
        c.b.CreateMaskedScatter(complexPart(c, stored, 1), im, llvm::Align(4), mask);
        return;
    }
    if (isOwn) places = ownPlaces(c, places, c.m.memoryType(type), lanes);
    c.b.CreateMaskedScatter(toItems(c, vector, stored), places, alignment(type), mask);
}

llvm::Value* peekVector(BodyContext& c, const Instr& instr) {
    const Type* type = instr.type->element;
    const unsigned lanes = c.lanesOf(instr.result);
    const unsigned offsets = c.lanesOf(instr.operands[0]);
    llvm::Value* offset = c.b.CreateSExt(c.operand(instr, 0), inLanes(offsets, c.m.i64()));
    llvm::Value* first = c.b.CreateLoad(c.m.i64(), c.popped);
    if (offsets == 0) {
        llvm::Value* index = c.b.CreateAdd(first, offset);
        if (c.kernel.dealtIn) return loadStrided(c, instr.type, dealtItem(c, kIn, index), 1);
        return loadStrided(c, instr.type, itemAt(c, c.param(kIn), type, index), instr.index);
    }
    llvm::Value* index = c.b.CreateAdd(c.b.CreateVectorSplat(lanes, first), offset);
    llvm::Value* numbers = c.b.CreateZExt(laneNumbers(c, lanes), inLanes(lanes, c.m.i64()));
    if (c.kernel.dealtIn) {
        llvm::Value* branches = c.b.CreateMaskedGather(
            inLanes(lanes, c.m.ptr()), c.b.CreateGEP(c.m.ptr(), c.param(kIn), index),
            llvm::Align(8), everyLane(c, lanes));
        return gatherItems(c, instr.type, c.b.CreateGEP(itemType(c, type), branches, numbers),
                           everyLane(c, lanes));
    }
    llvm::Value* own =
        c.b.CreateMul(numbers, c.b.CreateVectorSplat(lanes, c.b.getInt64(instr.index)));
    return gatherItems(c, instr.type,
                       c.b.CreateGEP(itemType(c, type), c.param(kIn), c.b.CreateAdd(own, index)),
                       everyLane(c, lanes));
}

void pushVector(BodyContext& c, const Instr& instr) {
    const Type* vector = c.typeOf(instr.operands[0]);
    llvm::Value* first = c.b.CreateLoad(c.m.i64(), c.pushed);
    if (c.rateChecks.pushes) {
        // The first item too many is the one behind the limit, as if they were pushed one by one.
        const auto limit = static_cast<std::uint64_t>(c.rates.push.max);
        const auto lanes = static_cast<std::uint64_t>(vector->extent);
        llvm::Value* holds =
            c.b.CreateICmpULE(c.b.CreateAdd(first, c.b.getInt64(lanes)), c.b.getInt64(limit));
        c.check(holds, {base::Diag::PushRateViolated, instr.range, rateWords(c), 2},
                c.b.getInt64(limit), c.b.getInt64(limit + 1));
    }
    storeItems(c, vector, itemAt(c, c.param(kOut), vector->element, first), c.operand(instr, 0));
    c.b.CreateStore(c.b.CreateAdd(first, c.b.getInt64(static_cast<std::uint64_t>(vector->extent))),
                    c.pushed);
}

}  // namespace

bool emitVector(BodyContext& c, const Instr& instr) {
    switch (instr.op) {
        case Op::Splat: c.set(instr, splat(c, instr.type, c.operand(instr, 0))); return true;
        case Op::LaneNumbers: c.set(instr, laneNumbers(c, c.lanesOf(instr.result))); return true;
        case Op::Lane: c.set(instr, extractedLane(c, instr)); return true;
        case Op::Select: c.set(instr, selection(c, instr)); return true;
        case Op::Any: c.set(instr, c.b.CreateOrReduce(c.operand(instr, 0))); return true;
        case Op::Every: c.set(instr, c.b.CreateAndReduce(c.operand(instr, 0))); return true;
        case Op::LoadVector:
            c.set(instr, loadStrided(c, instr.type, c.operand(instr, 0), instr.index));
            return true;
        case Op::StoreVector:
            storeItems(c, c.typeOf(instr.operands[1]), c.operand(instr, 0), c.operand(instr, 1));
            return true;
        case Op::Transpose: emitTranspose(c, instr); return true;
        case Op::Gather: c.set(instr, gather(c, instr)); return true;
        case Op::Scatter: scatter(c, instr); return true;
        case Op::PeekVector: c.set(instr, peekVector(c, instr)); return true;
        case Op::PushVector: pushVector(c, instr); return true;
        case Op::PeekColumns: emitPeekColumns(c, instr); return true;
        case Op::PushRows: emitPushRows(c, instr); return true;
        default: return false;
    }
}

llvm::Value* joinedParts(BodyContext& c, llvm::Value* re, llvm::Value* im) {
    const unsigned lanes = elementsOf(re);
    if (lanes == 0) {
        llvm::Value* made = llvm::PoisonValue::get(llvm::FixedVectorType::get(re->getType(), 2));
        made = c.b.CreateInsertElement(made, re, std::uint64_t{0});
        return c.b.CreateInsertElement(made, im, std::uint64_t{1});
    }
    std::vector<int> order(2 * std::size_t{lanes});
    std::iota(order.begin(), order.end(), 0);
    return c.b.CreateShuffleVector(re, im, order);
}

llvm::Value* eachLane(BodyContext& c, llvm::ArrayRef<llvm::Value*> args, unsigned lanes,
                      llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> make) {
    llvm::Value* all = nullptr;
    for (std::uint64_t k = 0; k < lanes; ++k) {
        std::vector<llvm::Value*> own;
        for (llvm::Value* arg : args) own.push_back(c.b.CreateExtractElement(arg, k));
        llvm::Value* made = make(own);
        if (!all) all = llvm::PoisonValue::get(inLanes(lanes, made->getType()));
        all = c.b.CreateInsertElement(all, made, k);
    }
    return all;
}

llvm::Type* itemType(BodyContext& c, const Type* type) {
    return type->is(TypeKind::Complex) ? c.m.i64() : c.m.memoryType(type);
}

llvm::Value* itemAt(BodyContext& c, llvm::Value* from, const Type* type, llvm::Value* index) {
    return c.b.CreateInBoundsGEP(itemType(c, type), from, index);
}

llvm::Value* ofItems(BodyContext& c, const Type* vector, llvm::Value* items) {
    const auto lanes = static_cast<unsigned>(vector->extent);
    if (!vector->element->is(TypeKind::Complex)) {
        llvm::Type* wanted = c.m.registerType(vector);
        return items->getType() == wanted ? items : c.b.CreateTrunc(items, wanted);
    }
    std::vector<int> order(2 * std::size_t{lanes});
    for (unsigned k = 0; k < lanes; ++k) {
        order[k] = static_cast<int>(2 * k);
        order[lanes + k] = static_cast<int>(2 * k + 1);
    }
    return c.b.CreateShuffleVector(c.b.CreateBitCast(items, c.m.registerType(vector)), order);
}

}  // namespace strc::codegen
