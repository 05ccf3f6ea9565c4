#include "codegen/detail/short_floats.h"

namespace strc::codegen {
namespace {

using types::TypeKind;

constexpr std::uint32_t kSign = 0x80000000, kInfinite = 0x7f800000;

/// Code for bits of floats. All constants are of 32 bits.
class Bits {
public:
    Bits(llvm::IRBuilder<>& builder, llvm::Type* like) : b(builder), guard(builder) {
        b.clearFastMathFlags();
        number = like->getWithNewType(b.getInt32Ty());
        real = like->getWithNewType(b.getFloatTy());
    }

    llvm::Value* constant(std::uint32_t value) { return llvm::ConstantInt::get(number, value); }
    llvm::Value* toFloat(llvm::Value* bits) { return b.CreateBitCast(bits, real); }
    llvm::Value* toBits(llvm::Value* x) { return b.CreateBitCast(x, number); }

    /// To a float whose last bit is set if anything was cut off: rounding it again, to at least two bits fewer, is as rounding once
    /// (Boldo and Melquiond, "Emulation of FMA and Correctly Rounded Sums", 2008).
    llvm::Value* toOdd(llvm::Value* x) {
        if (x->getType() == real) return x;
        llvm::Value* nearest = b.CreateFPTrunc(x, real);
        llvm::Value* back = b.CreateFPExt(nearest, x->getType());
        llvm::Value* isInexact = b.CreateFCmpUNE(back, x);
        llvm::Value* isTooLarge =
            b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                            b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
        llvm::Value* bits = b.CreateSub(toBits(nearest), b.CreateZExt(isTooLarge, number));
        return toFloat(b.CreateOr(bits, b.CreateZExt(isInexact, number)));
    }

    /// To the nearest multiple of 2^shift, halves to even, without the bits below.
    llvm::Value* rounded(llvm::Value* bits, std::uint32_t shift) {
        llvm::Value* last = b.CreateAnd(b.CreateLShr(bits, constant(shift)), constant(1));
        llvm::Value* half = b.CreateAdd(last, constant((1u << (shift - 1)) - 1));
        return b.CreateLShr(b.CreateAdd(bits, half), constant(shift));
    }

    llvm::Value* toHalf(llvm::Value* x) {
        llvm::Value* bits = toBits(x);
        llvm::Value* size = b.CreateAnd(bits, constant(~kSign));
        llvm::Value* sign = b.CreateAnd(b.CreateLShr(bits, constant(16)), constant(0x8000));
        llvm::Value* usual = b.CreateSub(rounded(size, 13), constant((127 - 15) << 10));
        llvm::Value* isOver = b.CreateICmpUGT(usual, constant(0x7c00));
        usual = b.CreateSelect(isOver, constant(0x7c00), usual);
        // Steps of 2^-24 are the last digit of 0.5.
        llvm::Value* half = llvm::ConstantFP::get(real, 0.5);
        llvm::Value* small = b.CreateSub(toBits(b.CreateFAdd(toFloat(size), half)), toBits(half));
        llvm::Value* isSmall = b.CreateICmpULT(size, constant((127 - 14) << 23));
        llvm::Value* isNone = b.CreateICmpUGT(size, constant(kInfinite));
        llvm::Value* made = b.CreateSelect(isSmall, small, usual);
        return b.CreateOr(b.CreateSelect(isNone, constant(0x7e00), made), sign);
    }

    llvm::Value* toBFloat16(llvm::Value* x) {
        llvm::Value* bits = toBits(x);
        llvm::Value* size = b.CreateAnd(bits, constant(~kSign));
        llvm::Value* isNone = b.CreateICmpUGT(size, constant(kInfinite));
        llvm::Value* none = b.CreateOr(
            b.CreateAnd(b.CreateLShr(bits, constant(16)), constant(0x8000)), constant(0x7fc0));
        return b.CreateSelect(isNone, none, rounded(bits, 16));
    }

    llvm::Value* ofHalf(llvm::Value* bits) {
        llvm::Value* sign = b.CreateShl(b.CreateAnd(bits, constant(0x8000)), constant(16));
        llvm::Value* size = b.CreateAnd(bits, constant(0x7fff));
        llvm::Value* isSmall = b.CreateICmpULT(size, constant(0x400));
        llvm::Value* isInfinite = b.CreateICmpUGE(size, constant(0x7c00));
        llvm::Value* more =
            b.CreateSelect(isInfinite, constant((255 - 31) << 23), constant((127 - 15) << 23));
        llvm::Value* usual = b.CreateAdd(b.CreateShl(size, constant(13)), more);
        llvm::Value* small =
            toBits(b.CreateFMul(b.CreateUIToFP(size, real), llvm::ConstantFP::get(real, 0x1p-24)));
        return toFloat(b.CreateOr(b.CreateSelect(isSmall, small, usual), sign));
    }

    llvm::IRBuilder<>& b;
    llvm::IRBuilder<>::FastMathFlagGuard guard;
    llvm::Type *number, *real;
};

}  // namespace

llvm::Value* ofShortFloat(llvm::IRBuilder<>& b, llvm::Value* bits, TypeKind kind) {
    Bits in(b, bits->getType());
    llvm::Value* wide = b.CreateZExt(bits, in.number);
    if (kind == TypeKind::Half) return in.ofHalf(wide);
    return in.toFloat(b.CreateShl(wide, in.constant(16)));
}

llvm::Value* toShortFloat(llvm::IRBuilder<>& b, llvm::Value* number, TypeKind kind) {
    Bits in(b, number->getType());
    llvm::Value* narrow = in.toOdd(number);
    llvm::Value* bits = kind == TypeKind::Half ? in.toHalf(narrow) : in.toBFloat16(narrow);
    return b.CreateTrunc(bits, number->getType()->getWithNewType(b.getInt16Ty()));
}

llvm::Value* widenElements(llvm::IRBuilder<>& b, llvm::Value* elements, TypeKind kind) {
    if (kind == TypeKind::Half || kind == TypeKind::BFloat16)
        return ofShortFloat(b, elements, kind);
    if (kind == TypeKind::Int8)
        return b.CreateSExt(elements, elements->getType()->getWithNewType(b.getInt32Ty()));
    return elements;
}

}  // namespace strc::codegen
