// Exchanges and barriers of a warp.

#include "codegen/detail/teams.h"

#include "base/assert.h"
#include "codegen/detail/llvm_backend.h"

namespace strc::codegen {
namespace {

constexpr std::uint32_t kAll = 0xffffffff;  ///< threads of the warp
constexpr std::uint32_t kWhole = 31;  ///< the warp is not divided

llvm::Value* exchangeWord(BodyContext& c, llvm::Value* word, std::uint32_t bits) {
    return c.b.CreateIntrinsic(
        llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
        {c.b.getInt32(kAll), word, c.b.getInt32(bits), c.b.getInt32(kWhole)});
}

/// Numbers of 64 bits word by word.
llvm::Value* exchange(BodyContext& c, llvm::Value* value, std::uint32_t bits) {
    llvm::Type* type = value->getType();
    if (type->getPrimitiveSizeInBits() == 32)
        return c.b.CreateBitCast(exchangeWord(c, c.b.CreateBitCast(value, c.b.getInt32Ty()), bits),
                                 type);
    STRC_ASSERT(type->getPrimitiveSizeInBits() == 64, "a number of some other width");
    auto* words = llvm::FixedVectorType::get(c.b.getInt32Ty(), 2);
    llvm::Value* pair = c.b.CreateBitCast(value, words);
    for (std::uint64_t k : {0, 1})
        pair = c.b.CreateInsertElement(pair,
                                       exchangeWord(c, c.b.CreateExtractElement(pair, k), bits), k);
    return c.b.CreateBitCast(pair, type);
}

}  // namespace

bool emitTeam(BodyContext& c, const Instr& instr) {
    switch (instr.op) {
        case Op::TeamExchange:
            c.set(instr, exchange(c, c.operand(instr, 0), instr.index));
            return true;
        case Op::TeamWait:
            c.b.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {c.b.getInt32(kAll)});
            return true;
        default: return false;
    }
}

}  // namespace strc::codegen
