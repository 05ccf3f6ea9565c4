// Exchanges and barriers of a warp, or of a block.

#include "codegen/detail/teams.h"

#include "base/assert.h"
#include "codegen/detail/llvm_backend.h"
#include "strc/device.h"

namespace strc::codegen {
namespace {

constexpr std::uint32_t kAll = 0xffffffff;  ///< threads of the warp
constexpr std::uint32_t kWhole = 31;  ///< the warp is not divided
constexpr std::uint32_t kWarp = 32;  ///< threads
constexpr unsigned kSharedMemory = 3;  ///< NVPTX's number of it

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

/// A word of 64 bits for each thread of the block, in the memory that they share.
llvm::GlobalVariable* sharedWords(BodyContext& c) {
    constexpr const char* kName = "team";
    llvm::Module& module = *c.b.GetInsertBlock()->getModule();
    if (auto* known = module.getNamedGlobal(kName)) return known;
    auto* type = llvm::ArrayType::get(c.b.getInt64Ty(), STRC_DEVICE_THREADS);
    return new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                                    llvm::UndefValue::get(type), kName, nullptr,
                                    llvm::GlobalValue::NotThreadLocal, kSharedMemory);
}

void waitForBlock(BodyContext& c) { c.b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }

/// Each thread leaves its number for the others, and takes one when all have; nobody leaves another one before all have taken.
llvm::Value* exchangeInBlock(BodyContext& c, llvm::Value* value, std::uint32_t bits) {
    llvm::Type* type = value->getType();
    llvm::Type* word = c.b.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits()));
    llvm::GlobalVariable* words = sharedWords(c);
    llvm::Value* own = c.b.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {}, {});
    auto place = [&](llvm::Value* thread) {
        return c.b.CreateInBoundsGEP(words->getValueType(), words, {c.b.getInt32(0), thread});
    };
    c.b.CreateStore(c.b.CreateBitCast(value, word), place(own));
    waitForBlock(c);
    llvm::Value* taken = c.b.CreateLoad(word, place(c.b.CreateXor(own, bits)));
    waitForBlock(c);
    return c.b.CreateBitCast(taken, type);
}

}  // namespace

bool emitTeam(BodyContext& c, const Instr& instr) {
    switch (instr.op) {
        case Op::TeamExchange:
            c.set(instr, instr.index < kWarp
                             ? exchange(c, c.operand(instr, 0), instr.index)
                             : exchangeInBlock(c, c.operand(instr, 0), instr.index));
            return true;
        case Op::TeamWait:
            if (instr.index > kWarp) {
                waitForBlock(c);
                return true;
            }
            c.b.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {c.b.getInt32(kAll)});
            return true;
        default: return false;
    }
}

}  // namespace strc::codegen
