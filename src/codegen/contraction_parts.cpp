// Large products in parts that the threads of the pool do side by side: a function that does one part, and a call
// of the runtime that has all of them done. The parts do not depend on how many threads there are, so neither do
// the results.

#include <algorithm>
#include <array>
#include <functional>
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

/// `some` makes the code for a part of so many rounds that begins at the operands.
class Shared {
public:
    using Some = std::function<void(llvm::IRBuilder<>&, llvm::IRBuilder<>& entry, const Operands&,
                                    std::int64_t)>;
    Shared(ModuleBuilder& builder, ContractionLoop split, std::int64_t perPart,
           llvm::Type* elementType, Some emitSome)
        : m(builder),
          loop(split),
          grain(perPart),
          element(elementType),
          some(std::move(emitSome)) {}

    void emit(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry, const Operands& operands,
              llvm::Value* env) {
        std::vector<llvm::Value*> all{operands.out, operands.a, operands.b};
        all.insert(all.end(), operands.addends.begin(), operands.addends.end());
        addends = operands.addends.size();
        auto* type = llvm::ArrayType::get(m.ptr(), all.size());
        llvm::Value* self = entry.CreateAlloca(type, nullptr, "operands");
        for (unsigned k = 0; k < all.size(); ++k)
            b.CreateStore(all[k], b.CreateConstInBoundsGEP2_64(type, self, 0, k));
        const std::int64_t count = (loop.rounds + grain - 1) / grain;
        b.CreateCall(m.runtime("strc_share"),
                     {env, function(), self, b.getInt64(static_cast<std::uint64_t>(count))});
    }

private:
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
        llvm::Value* first = b.CreateMul(number, b.getInt64(static_cast<std::uint64_t>(grain)));
        auto operand = [&](unsigned k, std::int32_t step) {
            llvm::Value* begin =
                b.CreateLoad(m.ptr(), b.CreateConstInBoundsGEP1_64(m.ptr(), self, k));
            return b.CreateInBoundsGEP(
                element, begin,
                b.CreateMul(first, b.getInt64(static_cast<std::uint64_t>(std::int64_t{step}))));
        };
        Operands here{element, operand(0, loop.out), operand(1, loop.a), operand(2, loop.b)};
        for (unsigned k = 0; k < addends; ++k)
            here.addends.push_back(operand(3 + k, loop.added[k]));
        const std::int64_t last = loop.rounds % grain;
        if (last == 0) return some(b, entry, here, grain);
        auto block = [&](const char* name) {
            return llvm::BasicBlock::Create(m.context, name, b.GetInsertBlock()->getParent());
        };
        llvm::BasicBlock *whole = block("whole"), *rest = block("rest"), *after = block("after");
        b.CreateCondBr(
            b.CreateICmpSLT(number, b.getInt64(static_cast<std::uint64_t>(loop.rounds / grain))),
            whole, rest);
        b.SetInsertPoint(whole);
        some(b, entry, here, grain);
        b.CreateBr(after);
        b.SetInsertPoint(rest);
        some(b, entry, here, last);
        b.CreateBr(after);
        b.SetInsertPoint(after);
    }

    ModuleBuilder& m;
    ContractionLoop loop;
    std::int64_t grain;
    llvm::Type* element;
    Some some;
    std::size_t addends = 0;
};

// ---- products

/// Loops of a product that can be divided. Columns of panels: as many as stand in whole panels.
enum class Along : std::uint8_t { Outer, Columns, Lines, Rows };

struct ProductParts {
    Along along = Along::Rows;
    std::int64_t grain = 0;
};

ContractionLoop loopOf(const Product& how, Along along) {
    if (along == Along::Outer) return how.outer[0];
    if (along == Along::Lines) return how.lines[0];
    if (along == Along::Rows) return how.rows;
    ContractionLoop columns = how.columns[0];
    // Panels lie one behind the other, with all sums.
    if (how.source == VectorSource::Stored) columns.b = static_cast<std::int32_t>(how.countSums());
    return columns;
}

std::int64_t countProducts(const Product& how) {
    std::int64_t count = how.countSums() * how.countColumns() * how.rows.rounds;
    for (const auto* loops : {&how.outer, &how.lines})
        for (const ContractionLoop& loop : *loops) count *= loop.rounds;
    return count;
}

/// Rounds that belong together; 0: the loop cannot be divided.
std::int64_t unitOf(const Product& how, Along along) {
    const bool isSingle = how.columns.size() == 1;
    switch (along) {
        case Along::Outer: return how.outer.empty() ? 0 : 1;
        case Along::Columns:
            if (how.source == VectorSource::Packed) return how.block;
            if (isSingle) return how.vectors * how.lanes;
            return how.source == VectorSource::Stored ? 0 : how.vectors;
        case Along::Lines: return how.lines.empty() || how.source == VectorSource::Packed ? 0 : 1;
        case Along::Rows: break;
    }
    // Each part packs all columns again.
    const std::int64_t fewest = how.source == VectorSource::Packed ? how.rows.rounds / 4 : 1;
    return std::max(how.height, fewest / how.height * how.height);
}

std::optional<ProductParts> findParts(const Product& how) {
    const std::int64_t products = countProducts(how);
    if (products < 2 * kLeastProducts) return std::nullopt;
    std::array<Along, 4> order{Along::Outer, Along::Columns, Along::Lines, Along::Rows};
    if (how.rowsOutside && how.source == VectorSource::Stored)
        order = {Along::Outer, Along::Lines, Along::Rows, Along::Columns};
    for (const Along along : order) {
        const std::int64_t unit = unitOf(how, along);
        if (unit == 0) continue;
        const std::int64_t rounds = loopOf(how, along).rounds;
        const std::int64_t perUnit = std::max<std::int64_t>(1, products / rounds * unit);
        const std::int64_t grain = (kLeastProducts + perUnit - 1) / perUnit * unit;
        if (grain < rounds) return ProductParts{along, grain};
    }
    return std::nullopt;
}

/// So many rounds of that loop, from the beginnings of the operands on.
Product partOf(Product how, Along along, std::int64_t count) {
    const auto rounds = static_cast<std::int32_t>(count);
    switch (along) {
        case Along::Outer: how.outer[0].rounds = rounds; break;
        case Along::Lines: how.lines[0].rounds = rounds; break;
        case Along::Columns:
            how.columns[0].rounds = rounds;
            how.block = std::min(how.block, count);
            break;
        case Along::Rows: {
            how.rows.rounds = rounds;
            const std::int64_t tiles = (count + how.height - 1) / how.height;
            how.height = (count + tiles - 1) / tiles;
            break;
        }
    }
    return how;
}

}  // namespace

void emitContractionParts(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry,
                          const Contraction& how, const Operands& operands, llvm::Value* env) {
    const std::optional<Parts> parts = m.options.inPieces ? std::nullopt : findParts(how);
    if (!parts || !base::PassRun(m.passes, base::Pass::ShareProducts,
                                 b.GetInsertBlock()->getParent()->getName().str()))
        return emitContraction(b, entry, how, operands, [&] { emitPoll(m, b, env); });
    auto some = [&](llvm::IRBuilder<>& builder, llvm::IRBuilder<>& variables, const Operands& here,
                    std::int64_t count) {
        Contraction piece = how;
        piece.loops[parts->loop].rounds = static_cast<std::int32_t>(count);
        emitContraction(builder, variables, piece, here, [] {});
    };
    Shared(m, how.loops[parts->loop], parts->grain, operands.element, some)
        .emit(b, entry, operands, env);
}

void emitProductParts(ModuleBuilder& m, llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry,
                      const Product& how, const Operands& operands, llvm::Value* room,
                      llvm::Value* env) {
    const std::optional<ProductParts> parts = m.options.inPieces ? std::nullopt : findParts(how);
    if (!parts || !base::PassRun(m.passes, base::Pass::ShareProducts,
                                 b.GetInsertBlock()->getParent()->getName().str()))
        return emitProduct(b, m.module, how, m.vectorUnit(), operands, room,
                           [&] { emitPoll(m, b, env); });
    auto some = [&](llvm::IRBuilder<>& builder, llvm::IRBuilder<>& variables, const Operands& here,
                    std::int64_t count) {
        const Product piece = partOf(how, parts->along, count);
        llvm::Value* own = nullptr;
        const std::int64_t bytes =
            piece.roomBytes(static_cast<std::int64_t>(here.element->getPrimitiveSizeInBits() / 8));
        if (bytes > 0) {
            auto* slot = variables.CreateAlloca(
                llvm::ArrayType::get(m.i8(), static_cast<std::uint64_t>(bytes)), nullptr, "room");
            slot->setAlignment(llvm::Align(64));
            own = slot;
        }
        emitProduct(builder, m.module, piece, m.vectorUnit(), here, own, [] {});
    };
    // The operands of a product may have changed places.
    ContractionLoop loop = loopOf(how, parts->along);
    if (how.isSwapped) std::swap(loop.a, loop.b);
    Shared(m, loop, parts->grain, operands.element, some).emit(b, entry, operands, env);
}

}  // namespace strc::codegen
