// Large products in parts that the threads of the pool do side by side: a function that does one part, and a call
// of the runtime that has all of them done. The parts do not depend on how many threads there are, so neither do
// the results.

#include <algorithm>
#include <array>
#include <optional>

#include "base/pass.h"
#include "codegen/detail/contractions.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/rings.h"

namespace strc::codegen {
namespace {

using ir::Contraction;
using ir::ContractionLoop;

/// Worth waking a thread up for: some 20 µs of work.
constexpr std::int64_t kLeastProducts = std::int64_t{1} << 19;
/// Tiles want so many rounds of a loop.
constexpr std::int64_t kTile = 16;

/// Rounds of one loop by `grain`.
struct Parts {
    std::size_t loop = 0;
    std::int64_t grain = 0;
};

/// At least `least` rounds, without a shorter last part if there is such a number.
std::int64_t grainOf(std::int64_t rounds, std::int64_t least) {
    least = (least + kTile - 1) / kTile * kTile;
    for (std::int64_t grain = least; grain < 2 * least && grain <= rounds / 2; grain += kTile)
        if (rounds % grain == 0) return grain;
    return least;
}

/// Along the outermost loop of the result that has enough rounds.
std::optional<Parts> findParts(const Contraction& how) {
    const std::int64_t products = countProducts(how);
    if (products < 2 * kLeastProducts) return std::nullopt;
    std::optional<Parts> best;
    for (std::size_t k = 0; k < how.loops.size(); ++k) {
        const ContractionLoop& loop = how.loops[k];
        if (loop.out == 0) continue;
        const std::int64_t perRound = products / loop.rounds;
        const std::int64_t grain =
            grainOf(loop.rounds, std::max<std::int64_t>(1, kLeastProducts / perRound));
        if (grain >= loop.rounds) continue;
        if (!best || loop.out > how.loops[best->loop].out) best = Parts{k, grain};
    }
    return best;
}

class Shared {
public:
    Shared(ModuleBuilder& builder, Contraction contraction, Parts split, llvm::Type* elementType)
        : m(builder), how(std::move(contraction)), parts(split), element(elementType) {}

    void emit(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const Operands& operands,
              llvm::Value* env) {
        auto* type = llvm::ArrayType::get(m.ptr(), 3);
        llvm::Value* self = entry.CreateAlloca(type, nullptr, "operands");
        const std::array all{operands.out, operands.a, operands.b};
        for (unsigned k = 0; k < all.size(); ++k)
            b.CreateStore(all[k], b.CreateConstInBoundsGEP2_64(type, self, 0, k));
        const std::int64_t count = (rounds() + parts.grain - 1) / parts.grain;
        b.CreateCall(m.runtime("strc_share"),
                     {env, function(), self, b.getInt64(static_cast<std::uint64_t>(count))});
    }

private:
    std::int64_t rounds() const { return how.loops[parts.loop].rounds; }

    /// void part(self, first, end)
    llvm::Function* function() {
        auto* i64 = llvm::Type::getInt64Ty(m.context);
        auto* type =
            llvm::FunctionType::get(llvm::Type::getVoidTy(m.context), {m.ptr(), i64, i64}, false);
        auto* made =
            llvm::Function::Create(type, llvm::Function::InternalLinkage, "part", m.module);
        made->setDoesNotThrow();
        llvm::IRBuilder<> entry(llvm::BasicBlock::Create(m.context, "entry", made));
        auto* round = llvm::BasicBlock::Create(m.context, "part", made);
        auto* done = llvm::BasicBlock::Create(m.context, "done", made);
        llvm::IRBuilder<> b(round);
        auto* number = b.CreatePHI(i64, 2);
        number->addIncoming(made->getArg(1), &made->getEntryBlock());
        part(b, entry, made->getArg(0), number);
        llvm::Value* next = b.CreateAdd(number, b.getInt64(1));
        number->addIncoming(next, b.GetInsertBlock());
        b.CreateCondBr(b.CreateICmpSLT(next, made->getArg(2)), round, done);
        b.SetInsertPoint(done);
        b.CreateRetVoid();
        entry.CreateBr(round);
        return made;
    }

    void part(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, llvm::Value* self,
              llvm::Value* number) {
        const ContractionLoop& loop = how.loops[parts.loop];
        llvm::Value* first =
            b.CreateMul(number, b.getInt64(static_cast<std::uint64_t>(parts.grain)));
        auto operand = [&](unsigned k, std::int32_t step) {
            llvm::Value* begin =
                b.CreateLoad(m.ptr(), b.CreateConstInBoundsGEP1_64(m.ptr(), self, k));
            return b.CreateInBoundsGEP(
                element, begin,
                b.CreateMul(first, b.getInt64(static_cast<std::uint64_t>(std::int64_t{step}))));
        };
        const Operands here{element, operand(0, loop.out), operand(1, loop.a), operand(2, loop.b)};
        const std::int64_t last = rounds() % parts.grain;
        if (last == 0) return some(b, entry, here, parts.grain);
        auto block = [&](const char* name) {
            return llvm::BasicBlock::Create(m.context, name, b.GetInsertBlock()->getParent());
        };
        llvm::BasicBlock *whole = block("whole"), *rest = block("rest"), *after = block("after");
        b.CreateCondBr(
            b.CreateICmpSLT(number, b.getInt64(static_cast<std::uint64_t>(rounds() / parts.grain))),
            whole, rest);
        b.SetInsertPoint(whole);
        some(b, entry, here, parts.grain);
        b.CreateBr(after);
        b.SetInsertPoint(rest);
        some(b, entry, here, last);
        b.CreateBr(after);
        b.SetInsertPoint(after);
    }

    void some(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const Operands& operands,
              std::int64_t count) {
        Contraction piece = how;
        piece.loops[parts.loop].rounds = static_cast<std::int32_t>(count);
        emitContraction(b, entry, piece, operands, [] {});
    }

    ModuleBuilder& m;
    Contraction how;
    Parts parts;
    llvm::Type* element;
};

}  // namespace

void emitContractionParts(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry,
                          const Contraction& how, const Operands& operands, llvm::Value* env) {
    const std::optional<Parts> parts = m.options.inPieces ? std::nullopt : findParts(how);
    if (!parts || !base::PassRun(m.passes, base::Pass::ShareProducts,
                                 b.GetInsertBlock()->getParent()->getName().str()))
        return emitContraction(b, entry, how, operands, [&] { emitPoll(m, b, env); });
    Shared(m, how, *parts, operands.element).emit(b, entry, operands, env);
}

}  // namespace strc::codegen
