#include "codegen/detail/dots.h"

#include "base/assert.h"
#include "codegen/detail/llvm_backend.h"

namespace strc::codegen {
namespace {

using target::Dots;

constexpr std::uint32_t kFourHalves = 0x80808080;

unsigned lanesOf(llvm::Value* vector) {
    return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

/// Bytes as numbers of 16 bits.
llvm::Value* widenBytes(llvm::IRBuilder<>& b, llvm::Value* words, unsigned count) {
    llvm::Value* bytes = b.CreateBitCast(words, llvm::FixedVectorType::get(b.getInt8Ty(), count));
    return b.CreateSExt(bytes, llvm::FixedVectorType::get(b.getInt16Ty(), count));
}

/// Two products of bytes are at most 2^15 together, so no sum of them is cut off, as that of pmaddubsw would be.
llvm::Value* plusPairs(llvm::IRBuilder<>& b, llvm::Value* sums, llvm::Value* row,
                       llvm::Value* columns) {
    const unsigned lanes = lanesOf(sums);
    auto* halves = llvm::FixedVectorType::get(b.getInt16Ty(), 2 * lanes);
    const llvm::Intrinsic::ID pairs = lanes == 16  ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                                      : lanes == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                                   : llvm::Intrinsic::x86_sse2_pmadd_wd;
    return b.CreateAdd(
        sums, b.CreateIntrinsic(pairs, {},
                                {b.CreateBitCast(row, halves), widenBytes(b, columns, 2 * lanes)}));
}

}  // namespace

std::int64_t wordOf(Dots dots) { return dots == Dots::Pairs ? 2 : 4; }

bool isOverByHalf(Dots dots) { return dots == Dots::UnsignedFours; }

llvm::Constant* wordOfHalves(llvm::Type* sums) { return llvm::ConstantInt::get(sums, kFourHalves); }

bool arePrepared(Dots dots) { return dots == Dots::Pairs || isOverByHalf(dots); }

llvm::Value* rowWord(llvm::IRBuilder<>& b, llvm::Value* word, Dots dots) {
    llvm::Type* ints = word->getType()->getWithNewType(b.getInt32Ty());
    if (isOverByHalf(dots)) return b.CreateXor(word, wordOfHalves(ints));
    if (dots != Dots::Pairs) return word;
    const unsigned words = ints->isVectorTy() ? lanesOf(word) : 1;
    return b.CreateBitCast(widenBytes(b, word, 2 * words), ints);
}

llvm::Value* plusDots(llvm::IRBuilder<>& b, llvm::Value* sums, llvm::Value* row,
                      llvm::Value* columns, Dots dots) {
    const unsigned lanes = lanesOf(sums);
    switch (dots) {
        case Dots::Pairs: return plusPairs(b, sums, row, columns);
        case Dots::UnsignedFours: {
            const llvm::Intrinsic::ID fours = lanes == 16 ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                                              : lanes == 8
                                                  ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                                                  : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
            return b.CreateIntrinsic(fours, {}, {sums, row, columns});
        }
        case Dots::Fours: {
            auto* bytes = llvm::FixedVectorType::get(b.getInt8Ty(), 4 * lanes);
            return b.CreateIntrinsic(
                llvm::Intrinsic::aarch64_neon_sdot, {sums->getType(), bytes},
                {sums, b.CreateBitCast(row, bytes), b.CreateBitCast(columns, bytes)});
        }
        case Dots::None: break;
    }
    STRC_UNREACHABLE("a processor without such an instruction");
}

}  // namespace strc::codegen
