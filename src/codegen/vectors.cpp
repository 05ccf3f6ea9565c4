// Operations on vectors. A vector of complex numbers has first the real parts of all lanes, then the imaginary ones; on
// tapes and in arrays of items each number lies as a pair.

#include <numeric>

#include "base/assert.h"
#include "codegen/detail/body_emitter.h"

namespace strc::codegen {
namespace {

unsigned elementsOf(llvm::Value* x) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
    return type ? type->getNumElements() : 0;
}

llvm::Align alignment(const Type* type) {
    return llvm::Align(static_cast<std::uint64_t>(types::alignOf(type)));
}

}  // namespace

bool BodyEmitter::vector(const Instr& instr) {
    switch (instr.op) {
        case Op::Splat: set(instr, splat(instr.type, operand(instr, 0))); return true;
        case Op::LaneNumbers: set(instr, laneNumbers(lanesOf(instr.result))); return true;
        case Op::Lane: set(instr, lane(instr)); return true;
        case Op::Select: set(instr, selected(instr)); return true;
        case Op::Any: set(instr, b.CreateOrReduce(operand(instr, 0))); return true;
        case Op::Every: set(instr, b.CreateAndReduce(operand(instr, 0))); return true;
        case Op::LoadVector:
            set(instr, loadStrided(instr.type, operand(instr, 0), instr.index));
            return true;
        case Op::StoreVector:
            storeItems(typeOf(instr.operands[1]), operand(instr, 0), operand(instr, 1));
            return true;
        case Op::Gather: set(instr, gather(instr)); return true;
        case Op::Scatter: scatter(instr); return true;
        case Op::PeekVector: set(instr, peekVector(instr)); return true;
        case Op::DiscardMany:
            b.CreateStore(b.CreateAdd(b.CreateLoad(m.i64(), popped), b.getInt64(instr.index)),
                          popped);
            return true;
        case Op::PushVector: pushVector(instr); return true;
        case Op::PeekColumns: peekColumns(instr); return true;
        case Op::PushRows: pushRows(instr); return true;
        default: return false;
    }
}

// ---- values

llvm::Value* BodyEmitter::splat(const Type* vector, llvm::Value* x) {
    const auto lanes = static_cast<unsigned>(vector->extent);
    if (!vector->element->is(TypeKind::Complex)) return b.CreateVectorSplat(lanes, x);
    return joined(b.CreateVectorSplat(lanes, part(x, 0)), b.CreateVectorSplat(lanes, part(x, 1)));
}

llvm::Value* BodyEmitter::lane(const Instr& instr) {
    llvm::Value* all = operand(instr, 0);
    if (!instr.type->is(TypeKind::Complex)) return b.CreateExtractElement(all, instr.index);
    return joined(b.CreateExtractElement(all, instr.index),
                  b.CreateExtractElement(all, instr.index + elementsOf(all) / 2));
}

llvm::Value* BodyEmitter::selected(const Instr& instr) {
    llvm::Value *condition = operand(instr, 0), *one = operand(instr, 1);
    const unsigned lanes = elementsOf(condition);
    if (lanes != 0 && elementsOf(one) != lanes) condition = joined(condition, condition);
    return b.CreateSelect(condition, one, operand(instr, 2));
}

llvm::Value* BodyEmitter::laneNumbers(unsigned lanes) {
    std::vector<std::uint32_t> numbers(lanes);
    std::iota(numbers.begin(), numbers.end(), 0);
    return llvm::ConstantDataVector::get(m.context, numbers);
}

llvm::Value* BodyEmitter::joined(llvm::Value* re, llvm::Value* im) {
    const unsigned lanes = elementsOf(re);
    if (lanes == 0) {
        llvm::Value* made = llvm::PoisonValue::get(llvm::FixedVectorType::get(re->getType(), 2));
        made = b.CreateInsertElement(made, re, std::uint64_t{0});
        return b.CreateInsertElement(made, im, std::uint64_t{1});
    }
    std::vector<int> order(2 * std::size_t{lanes});
    std::iota(order.begin(), order.end(), 0);
    return b.CreateShuffleVector(re, im, order);
}

llvm::Value* BodyEmitter::everyLane(unsigned lanes) {
    return llvm::Constant::getAllOnesValue(inLanes(lanes, b.getInt1Ty()));
}

llvm::Value* BodyEmitter::eachLane(
    llvm::ArrayRef<llvm::Value*> args, unsigned lanes,
    llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)> make) {
    llvm::Value* all = nullptr;
    for (std::uint64_t k = 0; k < lanes; ++k) {
        std::vector<llvm::Value*> own;
        for (llvm::Value* arg : args) own.push_back(b.CreateExtractElement(arg, k));
        llvm::Value* made = make(own);
        if (!all) all = llvm::PoisonValue::get(inLanes(lanes, made->getType()));
        all = b.CreateInsertElement(all, made, k);
    }
    return all;
}

// ---- items in memory

/// In which items move.
llvm::Type* BodyEmitter::itemType(const Type* type) {
    return type->is(TypeKind::Complex) ? m.i64() : m.memoryType(type);
}

llvm::Value* BodyEmitter::itemAt(llvm::Value* from, const Type* type, llvm::Value* index) {
    return b.CreateInBoundsGEP(itemType(type), from, index);
}

llvm::Value* BodyEmitter::ofItems(const Type* vector, llvm::Value* items) {
    const auto lanes = static_cast<unsigned>(vector->extent);
    if (!vector->element->is(TypeKind::Complex)) {
        llvm::Type* wanted = m.registerType(vector);
        return items->getType() == wanted ? items : b.CreateTrunc(items, wanted);
    }
    std::vector<int> order(2 * std::size_t{lanes});
    for (unsigned k = 0; k < lanes; ++k) {
        order[k] = static_cast<int>(2 * k);
        order[lanes + k] = static_cast<int>(2 * k + 1);
    }
    return b.CreateShuffleVector(b.CreateBitCast(items, m.registerType(vector)), order);
}

llvm::Value* BodyEmitter::toItems(const Type* vector, llvm::Value* value) {
    const auto lanes = static_cast<unsigned>(vector->extent);
    llvm::Type* wanted = inLanes(lanes, itemType(vector->element));
    if (!vector->element->is(TypeKind::Complex))
        return value->getType() == wanted ? value : b.CreateZExt(value, wanted);
    std::vector<int> order;
    for (unsigned k = 0; k < lanes; ++k) {
        order.push_back(static_cast<int>(k));
        order.push_back(static_cast<int>(lanes + k));
    }
    return b.CreateBitCast(b.CreateShuffleVector(value, order), wanted);
}

/// Lane k has the item `k * stride` further on.
llvm::Value* BodyEmitter::loadStrided(const Type* vector, llvm::Value* first,
                                      std::uint32_t stride) {
    const Type* type = vector->element;
    const auto lanes = static_cast<unsigned>(vector->extent);
    llvm::Type* item = itemType(type);
    if (stride == 1)
        return ofItems(vector, b.CreateAlignedLoad(inLanes(lanes, item), first, alignment(type)));
    if (stride == 0) return splat(vector, m.load(b, type, first));
    if (stride > vector::kShuffled) {
        llvm::Value* numbers =
            b.CreateMul(laneNumbers(lanes), b.CreateVectorSplat(lanes, b.getInt32(stride)));
        return gatherItems(vector, b.CreateInBoundsGEP(item, first, numbers), everyLane(lanes));
    }
    const unsigned items = stride * (lanes - 1) + 1;
    llvm::Value* all = b.CreateAlignedLoad(inLanes(items, item), first, alignment(type));
    std::vector<int> places(lanes);
    for (unsigned k = 0; k < lanes; ++k) places[k] = static_cast<int>(k * stride);
    return ofItems(vector, b.CreateShuffleVector(all, places));
}

void BodyEmitter::storeItems(const Type* vector, llvm::Value* at, llvm::Value* value) {
    b.CreateAlignedStore(toItems(vector, value), at, alignment(vector));
}

llvm::Value* BodyEmitter::gatherItems(const Type* vector, llvm::Value* places, llvm::Value* mask) {
    const auto lanes = static_cast<unsigned>(vector->extent);
    llvm::Type* items = inLanes(lanes, itemType(vector->element));
    return ofItems(vector, b.CreateMaskedGather(items, places, alignment(vector), mask));
}

// ---- through refs in lanes

llvm::Value* BodyEmitter::ownPlaces(llvm::Value* places, llvm::Type* scalar, unsigned lanes) {
    return b.CreateInBoundsGEP(scalar, places, laneNumbers(lanes));
}

llvm::Value* BodyEmitter::gather(const Instr& instr) {
    const unsigned lanes = lanesOf(instr.result);
    llvm::Value* places = operand(instr, 0);
    llvm::Value* mask = instr.operands.size() > 1 ? operand(instr, 1) : everyLane(lanes);
    const bool isOwn = lanesOf(instr.operands[0]) != 0;
    const Type* type = instr.type->element;
    if (!isOwn) return gatherItems(instr.type, places, mask);
    if (!type->is(TypeKind::Complex))
        return gatherItems(instr.type, ownPlaces(places, m.memoryType(type), lanes), mask);
    llvm::Type* real = b.getFloatTy();
    llvm::Value* re = ownPlaces(places, real, lanes);
    llvm::Value* im = b.CreateInBoundsGEP(real, re, b.getInt64(lanes));
    llvm::Type* reals = inLanes(lanes, real);
    return joined(b.CreateMaskedGather(reals, re, llvm::Align(4), mask),
                  b.CreateMaskedGather(reals, im, llvm::Align(4), mask));
}

void BodyEmitter::scatter(const Instr& instr) {
    const Type* vector = typeOf(instr.operands[1]);
    const unsigned lanes = lanesOf(instr.operands[1]);
    llvm::Value *places = operand(instr, 0), *stored = operand(instr, 1);
    llvm::Value* mask = instr.operands.size() > 2 ? operand(instr, 2) : everyLane(lanes);
    const bool isOwn = lanesOf(instr.operands[0]) != 0;
    const Type* type = vector->element;
    if (isOwn && type->is(TypeKind::Complex)) {
        llvm::Value* re = ownPlaces(places, b.getFloatTy(), lanes);
        llvm::Value* im = b.CreateInBoundsGEP(b.getFloatTy(), re, b.getInt64(lanes));
        b.CreateMaskedScatter(part(stored, 0), re, llvm::Align(4), mask);
        b.CreateMaskedScatter(part(stored, 1), im, llvm::Align(4), mask);
        return;
    }
    if (isOwn) places = ownPlaces(places, m.memoryType(type), lanes);
    b.CreateMaskedScatter(toItems(vector, stored), places, alignment(type), mask);
}

// ---- tapes

llvm::Value* BodyEmitter::peekVector(const Instr& instr) {
    const Type* type = instr.type->element;
    const unsigned lanes = lanesOf(instr.result);
    const unsigned offsets = lanesOf(instr.operands[0]);
    llvm::Value* offset = b.CreateSExt(operand(instr, 0), inLanes(offsets, m.i64()));
    llvm::Value* first = b.CreateLoad(m.i64(), popped);
    if (offsets == 0) {
        llvm::Value* index = b.CreateAdd(first, offset);
        if (kernel.dealtIn) return loadStrided(instr.type, dealtItem(kIn, index), 1);
        return loadStrided(instr.type, itemAt(param(kIn), type, index), instr.index);
    }
    llvm::Value* index = b.CreateAdd(b.CreateVectorSplat(lanes, first), offset);
    llvm::Value* numbers = b.CreateZExt(laneNumbers(lanes), inLanes(lanes, m.i64()));
    if (kernel.dealtIn) {
        llvm::Value* branches =
            b.CreateMaskedGather(inLanes(lanes, m.ptr()), b.CreateGEP(m.ptr(), param(kIn), index),
                                 llvm::Align(8), everyLane(lanes));
        return gatherItems(instr.type, b.CreateGEP(itemType(type), branches, numbers),
                           everyLane(lanes));
    }
    llvm::Value* own = b.CreateMul(numbers, b.CreateVectorSplat(lanes, b.getInt64(instr.index)));
    return gatherItems(instr.type, b.CreateGEP(itemType(type), param(kIn), b.CreateAdd(own, index)),
                       everyLane(lanes));
}

void BodyEmitter::pushVector(const Instr& instr) {
    const Type* vector = typeOf(instr.operands[0]);
    llvm::Value* first = b.CreateLoad(m.i64(), pushed);
    if (checkPushes) {
        // The first item too many is the one behind the limit, as if they were pushed one by one.
        const auto limit = static_cast<std::uint64_t>(rates.push.max);
        const auto lanes = static_cast<std::uint64_t>(vector->extent);
        llvm::Value* holds =
            b.CreateICmpULE(b.CreateAdd(first, b.getInt64(lanes)), b.getInt64(limit));
        check(holds, {base::Diag::PushRateViolated, instr.range, rateWords(), 2}, b.getInt64(limit),
              b.getInt64(limit + 1));
    }
    storeItems(vector, itemAt(param(kOut), vector->element, first), operand(instr, 0));
    b.CreateStore(b.CreateAdd(first, b.getInt64(static_cast<std::uint64_t>(vector->extent))),
                  pushed);
}

}  // namespace strc::codegen
