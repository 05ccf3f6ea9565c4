#include "codegen/detail/wide_integers.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "codegen/detail/llvm_backend.h"

namespace strc::codegen {
namespace {

constexpr unsigned kWidestRegister = 64;  ///< bits, of integers

/// Neighbours in a vector from `first` on. What is read behind `end` is not of the integer, whatever the vector has there.
struct Elements {
    llvm::Value* vector = nullptr;
    std::uint64_t first = 0, end = 0;
};

/// Follows a wide integer back to memory or to the vector that it is a part of, on targets whose lowest bits come first.
class WideInteger {
public:
    explicit WideInteger(llvm::Type* type) : element(type), bits(type->getScalarSizeInBits()) {}

    /// Nothing: it is no part of a vector, or begins within an element.
    std::optional<Elements> operator()(llvm::Value* value) {
        if (auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) return loaded(*load);
        if (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value))
            return part(cast->getOperand(0), 0);
        if (auto* low = llvm::dyn_cast<llvm::TruncInst>(value)) return truncated(*low);
        if (auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(value))
            return extracted(*extract);
        auto* shift = llvm::dyn_cast<llvm::BinaryOperator>(value);
        if (shift && shift->getOpcode() == llvm::Instruction::LShr) return shifted(*shift);
        return std::nullopt;
    }

private:
    llvm::Type* element;
    std::uint64_t bits;

    llvm::Type* vectorOf(llvm::Type* whole) const {
        const std::uint64_t size = whole->getPrimitiveSizeInBits().getFixedValue();
        if (size == 0 || size % bits != 0) return nullptr;
        return llvm::FixedVectorType::get(element, static_cast<unsigned>(size / bits));
    }

    std::optional<Elements> part(llvm::Value* vector, std::uint64_t firstBit) {
        llvm::Type* type = vectorOf(vector->getType());
        auto* at = llvm::dyn_cast<llvm::Instruction>(vector);
        if (!type || !at || !vector->getType()->isVectorTy() || firstBit % bits != 0)
            return std::nullopt;
        auto next = at->getInsertionPointAfterDef();
        if (!next) return std::nullopt;
        return Elements{llvm::IRBuilder<>(at->getParent(), *next).CreateBitCast(vector, type),
                        firstBit / bits, countIn(type)};
    }

    static std::uint64_t countIn(llvm::Type* vector) {
        return llvm::cast<llvm::FixedVectorType>(vector)->getNumElements();
    }

    std::optional<Elements> truncated(llvm::TruncInst& low) {
        std::optional<Elements> whole = (*this)(low.getOperand(0));
        if (whole) whole->end = std::min(whole->end, whole->first + elementsIn(low));
        return whole;
    }
    std::uint64_t elementsIn(llvm::Value& integer) const {
        return integer.getType()->getScalarSizeInBits() / bits;
    }

    std::optional<Elements> extracted(llvm::ExtractElementInst& extract) {
        auto* index = llvm::dyn_cast<llvm::ConstantInt>(extract.getIndexOperand());
        if (!index) return std::nullopt;
        const std::uint64_t width = extract.getType()->getScalarSizeInBits();
        auto* cast = llvm::dyn_cast<llvm::BitCastInst>(extract.getVectorOperand());
        std::optional<Elements> whole = part(
            cast ? cast->getOperand(0) : extract.getVectorOperand(), index->getZExtValue() * width);
        if (whole) whole->end = std::min(whole->end, whole->first + elementsIn(extract));
        return whole;
    }

    /// Zeros come from above.
    std::optional<Elements> shifted(llvm::BinaryOperator& shift) {
        auto* by = llvm::dyn_cast<llvm::ConstantInt>(shift.getOperand(1));
        if (!by || by->getZExtValue() % bits != 0) return std::nullopt;
        std::optional<Elements> whole = (*this)(shift.getOperand(0));
        if (whole) whole->first += by->getZExtValue() / bits;
        return whole;
    }

    std::optional<Elements> loaded(llvm::LoadInst& load) {
        llvm::Type* type = vectorOf(load.getType());
        if (!type || !load.isSimple()) return std::nullopt;
        llvm::LoadInst* made = llvm::IRBuilder<>(&load).CreateAlignedLoad(
            type, load.getPointerOperand(), load.getAlign());
        made->copyMetadata(load);
        return Elements{made, 0, countIn(type)};
    }
};

/// The vector that `cast` makes of a wide integer, from its elements; null: it stays.
llvm::Value* vectorInstead(llvm::BitCastInst& cast) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(cast.getType());
    llvm::Type* from = cast.getSrcTy();
    if (!type || !from->isIntegerTy() || from->getIntegerBitWidth() <= kWidestRegister)
        return nullptr;
    const std::optional<Elements> found = WideInteger(type->getElementType())(cast.getOperand(0));
    if (!found) return nullptr;
    if (found->first + type->getNumElements() > found->end) return nullptr;
    llvm::SmallVector<int> elements(type->getNumElements());
    std::iota(elements.begin(), elements.end(), static_cast<int>(found->first));
    return llvm::IRBuilder<>(&cast).CreateShuffleVector(found->vector, elements);
}

}  // namespace

void removeWideIntegers(llvm::Module& module) {
    if (!module.getDataLayout().isLittleEndian()) return;
    llvm::SmallVector<llvm::WeakTrackingVH> casts;  // What one makes dead may be another.
    for (llvm::Function& function : module)
        for (llvm::BasicBlock& block : function)
            for (llvm::Instruction& each : block)
                if (llvm::isa<llvm::BitCastInst>(each)) casts.emplace_back(&each);
    for (llvm::Value* each : casts) {
        auto* cast = llvm::dyn_cast_or_null<llvm::BitCastInst>(each);
        llvm::Value* vector = cast ? vectorInstead(*cast) : nullptr;
        if (!vector) continue;
        cast->replaceAllUsesWith(vector);
        llvm::RecursivelyDeleteTriviallyDeadInstructions(cast);
    }
}

}  // namespace strc::codegen
