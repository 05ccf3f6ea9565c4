#include "codegen/detail/tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include <fmt/format.h>

#include "base/assert.h"
#include "codegen/detail/contractions.h"
#include "codegen/detail/dots.h"

namespace strc::codegen {
namespace {

/// Products of vectors in an iteration of a loop.
constexpr std::int64_t kMostUnrolled = 256;
constexpr std::int64_t kGoodIteration = 48;

llvm::Align alignOf(llvm::Type* element) {
    return llvm::Align(element->getPrimitiveSizeInBits() / 8);
}

llvm::Constant* firstLanes(llvm::IRBuilder<>& b, std::int64_t lanes, std::int64_t used,
                           std::int64_t step) {
    std::vector<llvm::Constant*> mask;
    for (std::int64_t k = 0; k < lanes * step; ++k)
        mask.push_back(b.getInt1(k % step == 0 && k / step < used));
    return llvm::ConstantVector::get(mask);
}

class TileEmitter {
public:
    TileEmitter(llvm::Function* function, llvm::Type* element, const Tile& tile,
                const target::Model& target)
        : b(llvm::BasicBlock::Create(function->getContext(), "entry", function)),
          function(function),
          element(element),
          vector(tile.lanes == 1
                     ? element
                     : llvm::FixedVectorType::get(element, static_cast<unsigned>(tile.lanes))),
          tile(tile),
          target(target) {}

    void emit() {
        const auto count = asU64(tile.height) * tile.vectors.size();
        parts = partsOf(count);
        const std::size_t excess = hasExcess() ? tile.vectors.size() : 0;
        const Values none(count * parts + excess, llvm::Constant::getNullValue(vector));
        chooseUnrolling();
        planFetching();
        const Values sums = together(sumUp(0, {function->getArg(0), function->getArg(1)}, none));
        STRC_ASSERT(sums.size() == count, "sums of another tile");
        for (std::int64_t row = 0; row < tile.height; ++row)
            for (std::size_t k = 0; k < tile.vectors.size(); ++k) {
                const Tile::Vector& to = tile.vectors[k];
                llvm::Value* sum = sums[asU64(row) * tile.vectors.size() + k];
                storeLanes(b, finishSum(b, sum, addendsOf(row, k), tile.bounds),
                           moved(function->getArg(2), row * tile.rowOut + to.out), to.used);
            }
        if (ahead)
            b.CreateRet(b.CreateLoad(b.getPtrTy(), ahead));
        else
            b.CreateRetVoid();
    }

private:
    using Values = std::vector<llvm::Value*>;
    struct Places {
        llvm::Value *a, *b;
    };

    Values addendsOf(std::int64_t row, std::size_t vector) {
        Values all;
        for (std::size_t k = 0; k < tile.addends.size(); ++k) {
            const Tile::Addend& addend = tile.addends[k];
            llvm::Value* at = moved(function->getArg(3 + static_cast<unsigned>(k)),
                                    row * addend.row + addend.vectors[vector]);
            if (addend.isAlong)
                all.push_back(loadLanes(b, element, at, tile.lanes, 1, tile.vectors[vector].used));
            else
                all.push_back(splat(b.CreateAlignedLoad(element, at, alignOf(element))));
        }
        return all;
    }

    llvm::Value* splat(llvm::Value* scalar) {
        if (tile.lanes == 1) return scalar;
        return b.CreateVectorSplat(static_cast<unsigned>(tile.lanes), scalar);
    }

    llvm::Value* moved(llvm::Value* from, std::int64_t by) {
        return by == 0 ? from : b.CreateConstInBoundsGEP1_64(element, from, asU64(by));
    }

    llvm::Value* movedA(llvm::Value* from, std::int64_t by) {
        return by == 0 ? from : b.CreateConstInBoundsGEP1_64(tile.factorA.type, from, asU64(by));
    }
    llvm::Value* movedB(llvm::Value* from, std::int64_t by) {
        return by == 0 ? from : b.CreateConstInBoundsGEP1_64(tile.factorB.type, from, asU64(by));
    }

    std::size_t partsOf(std::size_t sums) const {
        if (tile.parts != 0) return asU64(tile.parts);
        std::int64_t terms = 1;
        for (const ir::ContractionLoop& loop : tile.sums) terms *= loop.trips;
        return std::clamp<std::size_t>(asU64(kFewestSums) / sums, 1, asU64(terms));
    }

    /// Bytes of the rows are taken as if they were greater by 128, since one of two factors has to be without sign. What that adds to
    /// the sums of a column is summed up beside them, once for all rows.
    bool hasExcess() const { return tile.word > 1 && isOverByHalf(target.dots); }

    /// Inner loops are written out as far as their iterations are few.
    void chooseUnrolling() {
        writtenOut = tile.sums.size();
        std::int64_t products = tile.height * static_cast<std::int64_t>(tile.vectors.size());
        while (writtenOut > 0 && !overlaps(tile.sums[writtenOut - 1]) &&
               products * tile.sums[writtenOut - 1].trips <= kMostUnrolled)
            products *= tile.sums[--writtenOut].trips;
        roundsInOne = std::max<std::int64_t>(1, kGoodIteration / products);
        if (tile.parts != 0) roundsInOne = (roundsInOne + tile.parts - 1) / tile.parts * tile.parts;
    }

    /// Iterations of a loop that are one in the code.
    std::int64_t togetherOf(std::size_t depth) const {
        return depth + 1 == writtenOut ? std::min<std::int64_t>(roundsInOne, tile.sums[depth].trips)
                                       : 1;
    }

    /// The same in each iteration of the innermost loop.
    void planFetching() {
        if (tile.fetched == 0) return;
        std::int64_t times = 1;
        for (std::size_t k = 0; k < writtenOut; ++k) times *= tile.sums[k].trips / togetherOf(k);
        fetchedAtOnce = (tile.fetched + times - 1) / times;
        ahead = b.CreateAlloca(b.getPtrTy(), nullptr, "ahead");
        b.CreateStore(function->getArg(function->arg_size() - 1), ahead);
        if (writtenOut == 0) fetch();
    }

    /// Into the second cache. A line that is asked for twice is fetched once.
    void fetch() {
        if (!ahead) return;
        llvm::Value* at = b.CreateLoad(b.getPtrTy(), ahead);
        auto further = [&](std::int64_t bytes) {
            return b.CreateConstGEP1_64(b.getInt8Ty(), at, asU64(bytes));
        };
        constexpr unsigned kToRead = 0, kSecondCache = 2, kData = 1;
        for (std::int64_t bytes = 0; bytes < fetchedAtOnce; bytes += target.lineBytes)
            b.CreateIntrinsic(
                llvm::Intrinsic::prefetch, {b.getPtrTy()},
                {further(bytes), b.getInt32(kToRead), b.getInt32(kSecondCache), b.getInt32(kData)});
        b.CreateStore(further(fetchedAtOnce), ahead);
    }

    /// Do iterations lead from the scalars of a row to those of others? Written out, all of them would be kept, for which there are no
    /// registers.
    bool overlaps(const ir::ContractionLoop& loop) const {
        return !tile.areRowsVectors && tile.height > 1 && tile.vectors.size() > 1 && loop.a != 0 &&
               tile.rowA % loop.a == 0 && std::abs(tile.rowA) < std::abs(loop.a) * loop.trips;
    }

    Values sumUp(std::size_t depth, Places at, Values sums) {
        if (depth == writtenOut) return addIterations(depth, at, 0, 0, sums);
        const ir::ContractionLoop& loop = tile.sums[depth];
        const std::int64_t many = togetherOf(depth);
        auto from = [&](llvm::Value* iteration, std::int64_t further) -> Places {
            auto by = [&](llvm::Type* type, llvm::Value* place, std::int64_t step) {
                llvm::Value* way = b.CreateMul(iteration, b.getInt64(asU64(step * many)));
                return b.CreateInBoundsGEP(type, place,
                                           b.CreateAdd(way, b.getInt64(asU64(further * step))));
            };
            return {by(tile.factorA.type, at.a, loop.a), by(tile.factorB.type, at.b, loop.b)};
        };
        sums = trips(loop.trips / many, std::move(sums), [&](llvm::Value* iteration, Values now) {
            if (depth + 1 == writtenOut) fetch();
            for (std::int64_t k = 0; k < many; ++k) {
                innermost = k;
                now = sumUp(depth + 1, from(iteration, k), std::move(now));
            }
            return now;
        });
        for (std::int64_t k = loop.trips - loop.trips % many; k < loop.trips; ++k) {
            innermost = k;
            sums = sumUp(depth + 1, {movedA(at.a, k * loop.a), movedB(at.b, k * loop.b)},
                         std::move(sums));
        }
        return sums;
    }

    /// The values go from iteration to iteration in registers.
    Values trips(std::int64_t count, Values values,
                 const std::function<Values(llvm::Value*, Values)>& body) {
        if (count == 1) return body(b.getInt64(0), std::move(values));
        llvm::BasicBlock* before = b.GetInsertBlock();
        auto* inside = llvm::BasicBlock::Create(b.getContext(), "round", function);
        auto* after = llvm::BasicBlock::Create(b.getContext(), "after", function);
        b.CreateBr(inside);
        b.SetInsertPoint(inside);
        std::vector<llvm::PHINode*> phis{b.CreatePHI(b.getInt64Ty(), 2)};
        phis[0]->addIncoming(b.getInt64(0), before);
        Values carried;
        for (llvm::Value* value : values) {
            phis.push_back(b.CreatePHI(value->getType(), 2));
            phis.back()->addIncoming(value, before);
            carried.push_back(phis.back());
        }
        const Values made = body(phis[0], carried);
        llvm::Value* next = b.CreateNUWAdd(phis[0], b.getInt64(1));
        phis[0]->addIncoming(next, b.GetInsertBlock());
        for (std::size_t k = 0; k < made.size(); ++k)
            phis[k + 1]->addIncoming(made[k], b.GetInsertBlock());
        b.CreateCondBr(b.CreateICmpULT(next, b.getInt64(asU64(count))), inside, after);
        b.SetInsertPoint(after);
        return made;
    }

    Values addIterations(std::size_t depth, const Places& at, std::int64_t a, std::int64_t offset,
                         Values sums) {
        if (depth == tile.sums.size())
            return addProducts({movedA(at.a, a), movedB(at.b, offset)}, sums);
        const ir::ContractionLoop& loop = tile.sums[depth];
        for (std::int64_t k = 0; k < loop.trips; ++k) {
            innermost = k;
            sums =
                addIterations(depth + 1, at, a + k * loop.a, offset + k * loop.b, std::move(sums));
        }
        return sums;
    }

    /// One of its parts for each sum, and then another one.
    Values together(Values sums) {
        const std::size_t count = asU64(tile.height) * tile.vectors.size();
        const Values excess(sums.begin() + static_cast<std::ptrdiff_t>(count * parts), sums.end());
        for (std::size_t left = parts; left > 1; left = (left + 1) / 2)
            for (std::size_t k = 0; k < left / 2 * count; ++k)
                sums[k] = plus(sums[k], sums[k + (left + 1) / 2 * count]);
        sums.resize(count);
        for (std::size_t k = 0; k < count && !excess.empty(); ++k)
            sums[k] = b.CreateSub(sums[k], excess[k % excess.size()]);
        return sums;
    }

    llvm::Value* plus(llvm::Value* x, llvm::Value* y) {
        return element->isFloatingPointTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
    }

    Values addProducts(const Places& at, Values sums) {
        const std::size_t place = tile.parts != 0 ? asU64(innermost) : turn++;
        const std::size_t part = place % parts * asU64(tile.height) * tile.vectors.size();
        Values columns;
        for (const Tile::Vector& each : tile.vectors)
            columns.push_back(widenFactor(b,
                                          loadLanes(b, tile.factorB.type, movedB(at.b, each.b),
                                                    tile.lanes, tile.stepB, each.used),
                                          wordless(tile.factorB), element));
        if (hasExcess())
            for (std::size_t k = 0; k < columns.size(); ++k) {
                llvm::Value*& sum = sums[sums.size() - columns.size() + k];
                sum = plusProduct(sum, wordOfHalves(vector), columns[k]);
            }
        for (std::int64_t row = 0; row < tile.height; ++row) {
            const Values factors = rowOf(movedA(at.a, row * tile.rowA));
            for (std::size_t k = 0; k < columns.size(); ++k) {
                llvm::Value*& sum = sums[part + asU64(row) * columns.size() + k];
                sum = plusProduct(sum, factors[k], columns[k]);
            }
        }
        return sums;
    }

    /// What the vectors of a row are multiplied with.
    Values rowOf(llvm::Value* at) {
        if (!tile.areRowsVectors) return Values(tile.vectors.size(), splatRow(at));
        Values factors;
        for (const Tile::Vector& each : tile.vectors)
            factors.push_back(widenFactor(
                b, loadLanes(b, tile.factorA.type, movedA(at, each.out), tile.lanes, 1, each.used),
                tile.factorA, element));
        return factors;
    }

    llvm::Value* splatRow(llvm::Value* at) {
        llvm::Type* type = tile.factorA.type;
        const bool isRaw = tile.word > 1 && !tile.areRowsPrepared;
        llvm::Value* one = b.CreateAlignedLoad(type, at, isRaw ? llvm::Align(1) : alignOf(type));
        if (tile.areRowsPrepared) return splat(one);
        return splat(tile.word > 1 ? rowWord(b, one, target.dots)
                                   : widenFactor(b, one, tile.factorA, element));
    }

    /// Words stay what they are.
    Factor wordless(const Factor& factor) const {
        return tile.word > 1 ? Factor{factor.type} : factor;
    }

    llvm::Value* plusProduct(llvm::Value* sum, llvm::Value* x, llvm::Value* y) {
        if (tile.word > 1) return plusDots(b, sum, x, y, target.dots);
        if (!element->isFloatingPointTy()) return b.CreateAdd(sum, b.CreateMul(x, y));
        if (!target.fusesProducts) return plus(sum, b.CreateFMul(x, y));
        return b.CreateIntrinsic(llvm::Intrinsic::fma, {vector}, {x, y, sum});
    }

    llvm::IRBuilder<> b;
    llvm::Function* function;
    llvm::Type* element;
    llvm::Type* vector;
    const Tile& tile;
    const target::Model& target;
    std::size_t writtenOut = 0;  ///< loops from here on
    std::int64_t roundsInOne = 1;  ///< of the loop around them
    std::size_t parts = 1;  ///< of each sum
    std::size_t turn = 0;  ///< products so far
    std::int64_t innermost = 0;  ///< iteration of the innermost loop of sums
    llvm::Value* ahead = nullptr;  ///< a variable: what is fetched next
    std::int64_t fetchedAtOnce = 0;  ///< bytes
};

std::string nameOf(llvm::Type* element, const Tile& tile) {
    std::string name = fmt::format(
        "tile.{}{}.{}x{}.{}.{}.{}{}.{}", element->isFloatingPointTy() ? "f" : "i",
        static_cast<unsigned>(element->getPrimitiveSizeInBits()), tile.height, tile.vectors.size(),
        tile.lanes, tile.stepB, tile.areRowsVectors ? "w" : "", tile.rowA, tile.rowOut);
    if (tile.factorA.kind != types::TypeKind::Void || tile.factorB.kind != types::TypeKind::Void)
        name += fmt::format(".{}.{}", static_cast<int>(tile.factorA.kind),
                            static_cast<int>(tile.factorB.kind));
    if (tile.word > 1) name += fmt::format(".d{}{}", tile.word, tile.areRowsPrepared ? "p" : "");
    for (const Tile::Vector& each : tile.vectors)
        name += fmt::format(".v{}.{}.{}", each.b, each.out, each.used);
    for (const ir::ContractionLoop& loop : tile.sums)
        name += fmt::format(".s{}.{}.{}", loop.trips, loop.a, loop.b);
    for (const Tile::Addend& addend : tile.addends) {
        name += fmt::format(".{}{}", addend.isAlong ? "w" : "p", addend.row);
        for (std::int64_t begin : addend.vectors) name += fmt::format(".{}", begin);
    }
    if (tile.bounds.areAny()) name += fmt::format(".c{:a}.{:a}", tile.bounds.low, tile.bounds.high);
    if (tile.parts > 0) name += fmt::format(".q{}", tile.parts);
    if (tile.fetched > 0) name += fmt::format(".f{}", tile.fetched);
    return name;
}

}  // namespace

llvm::Function* tileFunction(llvm::Module& module, llvm::Type* element, const Tile& tile,
                             const target::Model& target) {
    const std::string name = nameOf(element, tile);
    if (llvm::Function* made = module.getFunction(name)) return made;
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    const std::size_t arrays = 3 + tile.addends.size();
    const bool fetches = tile.fetched > 0;
    const std::vector<llvm::Type*> params(arrays + (fetches ? 1 : 0), pointer);
    auto* type =
        llvm::FunctionType::get(fetches ? pointer : llvm::Type::getVoidTy(context), params, false);
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::NoInline);
    for (unsigned k = 0; k < arrays; ++k) {
        function->addParamAttr(k, llvm::Attribute::NoCapture);
        function->addParamAttr(k, k != 2 ? llvm::Attribute::ReadOnly : llvm::Attribute::NoAlias);
    }
    TileEmitter(function, element, tile, target).emit();
    return function;
}

llvm::Value* loadLanes(llvm::IRBuilder<>& b, llvm::Type* element, llvm::Value* at,
                       std::int64_t lanes, std::int64_t step, std::int64_t used) {
    constexpr std::int64_t kMostStep = 4;
    const llvm::Align align = alignOf(element);
    if (lanes == 1) return b.CreateAlignedLoad(element, at, align);
    auto* type = llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes));
    if (step < 1 || step > kMostStep) {
        llvm::Value* row = llvm::Constant::getNullValue(type);
        for (std::int64_t k = 0; k < used; ++k) {
            llvm::Value* there = b.CreateConstInBoundsGEP1_64(element, at, asU64(k * step));
            row = b.CreateInsertElement(row, b.CreateAlignedLoad(element, there, align), asU64(k));
        }
        return row;
    }
    if (step == 1 && used == lanes) return b.CreateAlignedLoad(type, at, align);
    auto* wide = llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes * step));
    llvm::Value* all = b.CreateMaskedLoad(wide, at, align, firstLanes(b, lanes, used, step),
                                          llvm::Constant::getNullValue(wide));
    if (step == 1) return all;
    std::vector<int> places;
    for (std::int64_t k = 0; k < lanes; ++k) places.push_back(static_cast<int>(k * step));
    return b.CreateShuffleVector(all, places);
}

llvm::Value* finishSum(llvm::IRBuilder<>& b, llvm::Value* sum,
                       const std::vector<llvm::Value*>& addends, const ir::Bounds& bounds) {
    const bool isReal = sum->getType()->isFPOrFPVectorTy();
    for (llvm::Value* addend : addends)
        sum = isReal ? b.CreateFAdd(sum, addend) : b.CreateAdd(sum, addend);
    auto clamp = [&](float bound, bool isLow) {
        if (std::isinf(bound)) return;
        auto* limit = llvm::ConstantFP::get(sum->getType(), static_cast<double>(bound));
        llvm::Value* isBeyond = isLow ? b.CreateFCmpOLT(sum, limit) : b.CreateFCmpOGT(sum, limit);
        sum = b.CreateSelect(isBeyond, limit, sum);
    };
    clamp(bounds.low, true);
    clamp(bounds.high, false);
    return sum;
}

void storeLanes(llvm::IRBuilder<>& b, llvm::Value* vector, llvm::Value* at, std::int64_t used) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
    const llvm::Align align = alignOf(vector->getType()->getScalarType());
    if (!type || used == static_cast<std::int64_t>(type->getNumElements())) {
        b.CreateAlignedStore(vector, at, align);
        return;
    }
    b.CreateMaskedStore(vector, at, align,
                        firstLanes(b, static_cast<std::int64_t>(type->getNumElements()), used, 1));
}

}  // namespace strc::codegen
