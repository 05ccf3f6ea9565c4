// Sums of products in which each lane has its own factors: tiles of a few places, each with a vector of all lanes.

#include "codegen/detail/lane_sums.h"

#include <algorithm>
#include <array>
#include <functional>

#include "codegen/detail/module_builder.h"
#include "codegen/detail/rings.h"

namespace strc::codegen {
namespace {

using ir::Contraction;
using ir::ContractionLoop;
using Loops = std::vector<ContractionLoop>;

constexpr std::int64_t kMostPlaces = 12;  ///< of a tile
constexpr std::int64_t kGoodIteration = 16;  ///< products of vectors that are written out

class LaneSums {
public:
    LaneSums(const ContractionSite& where, const Contraction& contraction, const SumOrder& sums,
             const LaneOperands& all)
        : site(where),
          b(where.b),
          how(contraction),
          order(sums),
          operands(all),
          vector(llvm::FixedVectorType::get(all.element, static_cast<unsigned>(all.lanes))),
          elementBytes(static_cast<std::int64_t>(all.element->getPrimitiveSizeInBits() / 8)) {}

    void emit() {
        for (const ContractionLoop& loop : how.loops)
            if (loop.out != 0 && loop.trips > 1) outer.push_back(loop);
        takeRows();
        OperandOffsets first{number(how.out), number(how.a), number(how.b)};
        for (std::size_t k = 0; k < how.addends; ++k) first.addends.push_back(number(how.added[k]));
        around(0, first);
    }

private:
    using Sums = std::vector<llvm::AllocaInst*>;

    llvm::Value* number(std::int64_t value) {
        return b.getInt64(static_cast<std::uint64_t>(value));
    }

    // ---- places

    /// The loop whose places share what is in lanes: then each vector that is loaded is for all of a tile.
    void takeRows() {
        auto rank = [this](const ContractionLoop& loop) {
            const bool reuses =
                (operands.a.isInLanes && loop.a == 0) || (operands.b.isInLanes && loop.b == 0);
            return std::pair(reuses, loop.trips);
        };
        const auto best = std::max_element(
            outer.begin(), outer.end(),
            [&](const ContractionLoop& x, const ContractionLoop& y) { return rank(x) < rank(y); });
        if (best == outer.end()) return;
        rows = *best;
        outer.erase(best);
        const target::Model& target = site.m.target();
        const std::int64_t registers =
            std::max<std::int64_t>(1, operands.lanes * elementBytes / target.vectorBytes);
        const std::int64_t sums = order.parts + (order.hasRest ? 1 : 0);
        const std::int64_t most = (target.vectorRegisters - 2) / registers / sums;
        height = std::clamp<std::int64_t>(most, 1, std::min<std::int64_t>(kMostPlaces, rows.trips));
    }

    void around(std::size_t depth, const OperandOffsets& at) {
        if (depth < outer.size())
            return emitLoop(b, outer[depth].trips, [&](llvm::Value* k) {
                around(depth + 1, moved(b, at, outer[depth], k));
            });
        if (const std::int64_t whole = rows.trips / height; whole > 0)
            emitLoop(b, whole, [&](llvm::Value* k) {
                tile(moved(b, at, rows, b.CreateMul(k, number(height))), height);
            });
        if (const std::int64_t rest = rows.trips % height; rest > 0)
            tile(moved(b, at, rows, number(rows.trips - rest)), rest);
    }

    // ---- one tile

    Sums makeSums(std::int64_t count) {
        Sums sums;
        for (std::int64_t k = 0; k < count; ++k) {
            sums.push_back(site.entry.CreateAlloca(vector, nullptr, "sum"));
            b.CreateStore(llvm::Constant::getNullValue(vector), sums.back());
        }
        return sums;
    }

    void tile(const OperandOffsets& at, std::int64_t count) {
        const Sums sums = makeSums(count * order.parts);
        const Sums rests = makeSums(order.hasRest ? count : 0);
        sumUp(0, at, [&](const OperandOffsets& first, std::int64_t number, bool isRest) {
            if (isRest) return addProducts(rests, 0, first, count);
            addProducts(sums, static_cast<std::size_t>(number % order.parts * count), first, count);
        });
        for (std::int64_t row = 0; row < count; ++row) {
            llvm::Value* sum = together(sums, count, row);
            if (order.hasRest) sum = add(sum, load(rests[static_cast<std::size_t>(row)]));
            const OperandOffsets place = moved(b, at, rows, number(row));
            std::vector<llvm::Value*> addends;
            for (std::size_t k = 0; k < how.addends; ++k)
                addends.push_back(factor(operands.addends[k], place.addends[k]));
            b.CreateAlignedStore(finishSum(b, sum, addends, how.bounds),
                                 address(operands.out, place.out), align());
        }
    }

    using Iteration = std::function<void(const OperandOffsets&, std::int64_t, bool)>;

    /// All iterations; `one` gets the number of an innermost one, as far as its part goes, and whether it belongs to the rest.
    void sumUp(std::size_t depth, const OperandOffsets& at, const Iteration& one) {
        if (depth == order.loops.size()) return one(at, 0, false);
        const ContractionLoop& loop = order.loops[depth];
        if (depth + 1 < order.loops.size())
            return emitLoop(b, loop.trips,
                            [&](llvm::Value* k) { sumUp(depth + 1, moved(b, at, loop, k), one); });
        const std::int64_t rounds =
            std::max<std::int64_t>(1, kGoodIteration / (height * order.parts));
        const std::int64_t together = std::min<std::int64_t>(rounds * order.parts, loop.trips);
        const std::int64_t step = together / order.parts * order.parts;
        const std::int64_t whole = step == 0 ? 0 : loop.trips / step * step;
        auto some = [&](const OperandOffsets& first, std::int64_t count, bool isRest) {
            for (std::int64_t k = 0; k < count; ++k)
                one(moved(b, first, loop, number(k)), k, isRest);
        };
        if (whole > 0)
            emitLoop(b, whole / step, [&](llvm::Value* k) {
                some(moved(b, at, loop, b.CreateMul(k, number(step))), step, false);
            });
        const std::int64_t left = loop.trips - whole;
        const std::int64_t inParts = order.hasRest ? left / order.parts * order.parts : left;
        some(moved(b, at, loop, number(whole)), inParts, false);
        if (inParts < left)
            emitLoop(b, left - inParts, [&](llvm::Value* k) {
                one(moved(b, at, loop, b.CreateAdd(k, number(whole + inParts))), 0, true);
            });
    }

    void addProducts(const Sums& sums, std::size_t first, const OperandOffsets& at,
                     std::int64_t count) {
        llvm::Value *x = nullptr, *y = nullptr;
        for (std::int64_t row = 0; row < count; ++row) {
            const OperandOffsets place = moved(b, at, rows, number(row));
            if (row == 0 || rows.a != 0) x = factor(operands.a, place.a);
            if (row == 0 || rows.b != 0) y = factor(operands.b, place.b);
            llvm::AllocaInst* sum = sums[first + static_cast<std::size_t>(row)];
            b.CreateStore(plusProduct(load(sum), x, y), sum);
        }
    }

    llvm::Value* together(const Sums& all, std::int64_t count, std::int64_t row) {
        std::vector<llvm::Value*> sums;
        for (std::int64_t k = 0; k < order.parts; ++k)
            sums.push_back(load(all[static_cast<std::size_t>(k * count + row)]));
        while (sums.size() > 1) {
            const std::size_t kept = (sums.size() + 1) / 2;
            for (std::size_t k = 0; k + kept < sums.size(); ++k)
                sums[k] = add(sums[k], sums[k + kept]);
            sums.resize(kept);
        }
        return sums[0];
    }

    // ---- values

    llvm::Align align() const { return llvm::Align(static_cast<std::uint64_t>(elementBytes)); }

    llvm::Value* load(llvm::AllocaInst* variable) { return b.CreateLoad(vector, variable); }

    llvm::Value* address(llvm::Value* of, llvm::Value* place) {
        return b.CreateInBoundsGEP(operands.element, of,
                                   b.CreateMul(place, number(operands.lanes)));
    }

    llvm::Value* factor(const LaneOperand& operand, llvm::Value* place) {
        llvm::Type* type = operand.factor.type;
        const llvm::Align own(type->getPrimitiveSizeInBits() / 8);
        llvm::Value* at = b.CreateInBoundsGEP(
            type, operand.at,
            operand.isInLanes ? b.CreateMul(place, number(operands.lanes)) : place);
        const auto lanes = static_cast<unsigned>(operands.lanes);
        if (operand.isInLanes)
            return widenFactor(
                b, b.CreateAlignedLoad(llvm::FixedVectorType::get(type, lanes), at, own),
                operand.factor, operands.element);
        return b.CreateVectorSplat(lanes, widenFactor(b, b.CreateAlignedLoad(type, at, own),
                                                      operand.factor, operands.element));
    }

    llvm::Value* add(llvm::Value* x, llvm::Value* y) {
        return operands.element->isFloatingPointTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
    }

    llvm::Value* plusProduct(llvm::Value* sum, llvm::Value* x, llvm::Value* y) {
        if (!operands.element->isFloatingPointTy()) return b.CreateAdd(sum, b.CreateMul(x, y));
        if (!order.fuses) return b.CreateFAdd(sum, b.CreateFMul(x, y));
        return b.CreateIntrinsic(llvm::Intrinsic::fma, {vector}, {x, y, sum});
    }

    const ContractionSite& site;
    llvm::IRBuilder<>& b;
    const Contraction& how;
    const SumOrder& order;
    const LaneOperands& operands;
    llvm::Type* vector;
    const std::int64_t elementBytes;
    Loops outer;
    ContractionLoop rows{1, 0, 0, 0, {}};
    std::int64_t height = 1;  ///< rows of a tile
};

}  // namespace

SumOrder orderOf(const Product& product, const target::Model& target) {
    SumOrder order{product.sums, product.parts, false, target.fusesProducts};
    if (product.isSwapped)
        for (ContractionLoop& loop : order.loops) std::swap(loop.a, loop.b);
    return order;
}

void emitLaneSums(const ContractionSite& site, const Contraction& how, const SumOrder& order,
                  const LaneOperands& operands) {
    LaneSums(site, how, order, operands).emit();
}

}  // namespace strc::codegen
