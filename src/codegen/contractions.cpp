// Sums of products in tiles of registers: a few places of the result times a few vectors of them are summed
// at once, so that what is loaded is used several times (Goto and van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication", TOMS 2008, section 4, without the packing).

#include "codegen/detail/contractions.h"

#include <algorithm>
#include <array>
#include <vector>

#include "codegen/detail/lane_sums.h"
#include "codegen/detail/rings.h"
#include "codegen/detail/short_floats.h"

namespace strc::codegen {

llvm::Value* movedBy(llvm::IRBuilder<>& b, llvm::Value* place, llvm::Value* times,
                     std::int64_t step) {
    if (step == 0) return place;
    llvm::Value* way =
        b.CreateMul(times, b.getInt64(static_cast<std::uint64_t>(step)), "", false, true);
    return b.CreateAdd(place, way, "", false, true);
}

OperandOffsets moved(llvm::IRBuilder<>& b, const OperandOffsets& at,
                     const ir::ContractionLoop& loop, llvm::Value* iterations) {
    auto by = [&](llvm::Value* place, std::int64_t step) {
        return movedBy(b, place, iterations, step);
    };
    OperandOffsets there{by(at.out, loop.out), by(at.a, loop.a), by(at.b, loop.b)};
    for (std::size_t k = 0; k < at.addends.size(); ++k)
        there.addends.push_back(by(at.addends[k], loop.added[k]));
    return there;
}

llvm::Value* widenFactor(llvm::IRBuilder<>& b, llvm::Value* elements, const Factor& factor,
                         llvm::Type* sum) {
    llvm::Value* wide = widenElements(b, elements, factor.kind);
    const bool isReal = sum->isFloatingPointTy();
    if (factor.kind != types::TypeKind::Int8 || !isReal) return wide;
    return b.CreateSIToFP(wide, wide->getType()->getWithNewType(sum));
}

namespace {

using ir::Contraction;
using ir::ContractionLoop;

constexpr std::int64_t kVectorBytes = 64;
constexpr std::int64_t kMostVectors = 8;  ///< that are summed up at once
constexpr std::int64_t kMostRows = 4;

/// Which loops do what.
struct Division {
    Division(const Contraction&, std::int64_t elementBytes);

    std::vector<ContractionLoop> outer, summed;
    ContractionLoop columns;  ///< along vectors
    ContractionLoop rows{1, 0, 0, 0, {}};
    bool sumsLanes = false;  ///< columns are summed over
    std::int64_t lanes = 1;  ///< of a vector
    std::int64_t height = 1;  ///< rows at once
    std::int64_t vectors = 1;  ///< at once, for each row

private:
    using Loops = std::vector<ContractionLoop>;
    bool takeColumns(const std::function<bool(const ContractionLoop&)>& can, Loops& from);
    void takeRows();
};

bool isUnit(const ContractionLoop& loop) {
    return (loop.a == 1 && (loop.b == 0 || loop.b == 1)) || (loop.b == 1 && loop.a == 0);
}

Division::Division(const Contraction& how, std::int64_t elementBytes) {
    for (const ContractionLoop& loop : how.loops)
        if (loop.trips > 1) (loop.out == 0 ? summed : outer).push_back(loop);
    if (!takeColumns([](const ContractionLoop& l) { return l.out == 1 && isUnit(l); }, outer) &&
        !takeColumns([](const ContractionLoop& l) { return l.a == 1 && l.b == 1; }, summed) &&
        !takeColumns([](const ContractionLoop& l) { return l.out == 1; }, outer))
        columns = {1, 0, 0, 0, {}};
    while (lanes * 2 <= std::min<std::int64_t>(columns.trips, kVectorBytes / elementBytes))
        lanes *= 2;
    takeRows();
    vectors = std::max<std::int64_t>(1, std::min(kMostVectors / height, columns.trips / lanes));
}

/// The loop that goes along vectors: the longest one that can.
bool Division::takeColumns(const std::function<bool(const ContractionLoop&)>& can, Loops& from) {
    auto best = from.end();
    for (auto loop = from.begin(); loop != from.end(); ++loop)
        if (can(*loop) && (best == from.end() || loop->trips > best->trips)) best = loop;
    if (best == from.end()) return false;
    columns = *best;
    sumsLanes = &from == &summed;
    from.erase(best);
    return true;
}

/// The loop that uses each vector several times: one operand stays where the other one moves.
void Division::takeRows() {
    auto best = outer.end();
    for (auto loop = outer.begin(); loop != outer.end(); ++loop) {
        const bool reuses = (columns.a != 0 && loop->a == 0) || (columns.b != 0 && loop->b == 0);
        if (reuses && (best == outer.end() || loop->trips > best->trips)) best = loop;
    }
    if (best == outer.end()) return;
    rows = *best;
    outer.erase(best);
    height = std::min<std::int64_t>(rows.trips, kMostRows);
}

class Tiles : Division {
public:
    Tiles(llvm::IRBuilder<>& builder, llvm::IRBuilder<>& entryBuilder, const Operands& operands,
          Contraction contraction, std::function<void()> pollNow)
        : Division(contraction,
                   static_cast<std::int64_t>(operands.element->getScalarSizeInBits() / 8)),
          b(builder),
          entry(entryBuilder),
          element(operands.element),
          how(std::move(contraction)),
          base{operands.out, operands.a, operands.b, operands.addends},
          factors{operands.factorA, operands.factorB},
          poll(std::move(pollNow)) {}

    void emit() {
        OperandOffsets first{b.getInt64(index(how.out)), b.getInt64(index(how.a)),
                             b.getInt64(index(how.b))};
        for (std::size_t k = 0; k < how.addends; ++k)
            first.addends.push_back(b.getInt64(index(how.added[k])));
        around(0, first);
    }

private:
    static std::uint64_t index(std::int64_t value) { return static_cast<std::uint64_t>(value); }

    // ---- loops

    void loop(std::int64_t trips, const std::function<void(llvm::Value*)>& inside) {
        emitLoop(b, trips, inside);
    }

    void around(std::size_t depth, const OperandOffsets& at) {
        if (depth == outer.size()) return allRows(at);
        loop(outer[depth].trips, [&](llvm::Value* k) {
            poll();
            around(depth + 1, moved(b, at, outer[depth], k));
        });
    }

    void allRows(const OperandOffsets& at) {
        parts(rows.trips, height, [&](llvm::Value* first, std::int64_t count) {
            allColumns(moved(b, at, rows, first), count);
        });
    }

    /// Pieces of `size` and one for what is left.
    void parts(std::int64_t all, std::int64_t size,
               const std::function<void(llvm::Value*, std::int64_t)>& part) {
        if (all / size > 0)
            loop(all / size,
                 [&](llvm::Value* k) { part(b.CreateMul(k, b.getInt64(index(size))), size); });
        if (all % size > 0) part(b.getInt64(index(all - all % size)), all % size);
    }

    void allColumns(const OperandOffsets& at, std::int64_t count) {
        if (sumsLanes) return sumOverLanes(at, count);
        const std::int64_t whole = columns.trips / lanes;
        parts(whole, vectors, [&](llvm::Value* first, std::int64_t some) {
            llvm::Value* elements = b.CreateMul(first, b.getInt64(index(lanes)));
            tile(moved(b, at, columns, elements), count, some);
        });
        // What is left is done with the last full vector: to set a place twice changes nothing.
        if (columns.trips % lanes != 0)
            tile(moved(b, at, columns, b.getInt64(index(columns.trips - lanes))), count, 1);
    }

    // ---- one tile

    llvm::Type* vectorOf(llvm::Type* type) const {
        return lanes == 1 ? type : llvm::FixedVectorType::get(type, static_cast<unsigned>(lanes));
    }
    llvm::Type* vectorType() const { return vectorOf(element); }

    llvm::Value* address(llvm::Value* of, llvm::Value* place) {
        return b.CreateInBoundsGEP(element, of, place);
    }

    llvm::Value* load(llvm::Value* of, llvm::Value* place, std::int32_t step) {
        return loadFactor({element}, of, place, step);
    }

    llvm::Value* loadFactor(const Factor& factor, llvm::Value* of, llvm::Value* place,
                            std::int32_t step) {
        return widenFactor(b, loadRow(factor.type, of, place, step), factor, element);
    }

    llvm::Value* loadRow(llvm::Type* type, llvm::Value* of, llvm::Value* place, std::int32_t step) {
        const llvm::Align align(type->getScalarSizeInBits() / 8);
        auto one = [&](llvm::Value* there) {
            return b.CreateAlignedLoad(type, b.CreateInBoundsGEP(type, of, there), align);
        };
        if (lanes == 1) return one(place);
        if (step == 1)
            return b.CreateAlignedLoad(vectorOf(type), b.CreateInBoundsGEP(type, of, place), align);
        if (step == 0) return b.CreateVectorSplat(static_cast<unsigned>(lanes), one(place));
        llvm::Value* row = llvm::PoisonValue::get(vectorOf(type));
        for (std::int64_t k = 0; k < lanes; ++k)
            row = b.CreateInsertElement(row, one(b.CreateAdd(place, b.getInt64(index(k * step)))),
                                        index(k));
        return row;
    }

    llvm::Value* plusProduct(llvm::Value* sum, llvm::Value* x, llvm::Value* y) {
        if (!element->isFloatingPointTy()) return b.CreateAdd(sum, b.CreateMul(x, y));
        return b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {sum->getType()}, {x, y, sum});
    }

    using Sums = std::vector<llvm::AllocaInst*>;

    Sums makeSums(std::int64_t count) {
        Sums sums;
        for (std::int64_t k = 0; k < count; ++k) {
            sums.push_back(entry.CreateAlloca(vectorType(), nullptr, "sum"));
            b.CreateStore(llvm::Constant::getNullValue(vectorType()), sums.back());
        }
        return sums;
    }

    llvm::Value* shifted(llvm::Value* place, std::int64_t by) {
        return by == 0 ? place : b.CreateAdd(place, b.getInt64(index(by)), "", false, true);
    }

    /// The products of one iteration, for `count` rows times `some` vectors.
    void addProducts(const Sums& sums, const OperandOffsets& at, std::int64_t count,
                     std::int64_t some) {
        auto loadAll = [&](const Factor& factor, llvm::Value* of, llvm::Value* place,
                           std::int32_t perRow, std::int32_t step) {
            std::vector<llvm::Value*> all;
            for (std::int64_t i = 0; i < count; ++i)
                for (std::int64_t j = 0; j < some; ++j) {
                    const bool isThere = (i > 0 && perRow == 0) || (j > 0 && step == 0);
                    const std::int64_t like = i > 0 && perRow == 0 ? j : i * some;
                    all.push_back(
                        isThere ? all[index(like)]
                                : loadFactor(factor, of,
                                             shifted(place, i * perRow + j * lanes * step), step));
                }
            return all;
        };
        const std::vector<llvm::Value*> x = loadAll(factors[0], base.a, at.a, rows.a, columns.a);
        const std::vector<llvm::Value*> y = loadAll(factors[1], base.b, at.b, rows.b, columns.b);
        for (std::size_t k = 0; k < sums.size(); ++k)
            b.CreateStore(plusProduct(b.CreateLoad(vectorType(), sums[k]), x[k], y[k]), sums[k]);
    }

    void sumUp(std::size_t depth, const OperandOffsets& at,
               const std::function<void(const OperandOffsets&)>& iteration) {
        if (depth == summed.size()) return iteration(at);
        loop(summed[depth].trips,
             [&](llvm::Value* k) { sumUp(depth + 1, moved(b, at, summed[depth], k), iteration); });
    }

    void tile(const OperandOffsets& at, std::int64_t count, std::int64_t some) {
        const Sums sums = makeSums(count * some);
        sumUp(0, at,
              [&](const OperandOffsets& iteration) { addProducts(sums, iteration, count, some); });
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t j = 0; j < some; ++j) {
                llvm::Value* place = shifted(at.out, i * rows.out + j * lanes * columns.out);
                llvm::Value* sum = b.CreateLoad(vectorType(), sums[index(i * some + j)]);
                sum = finishSum(b, sum, addendsOf(at, i, j), how.bounds);
                b.CreateAlignedStore(sum, address(base.out, place),
                                     llvm::Align(element->getScalarSizeInBits() / 8));
            }
    }

    /// Of row i and vector j of a tile.
    std::vector<llvm::Value*> addendsOf(const OperandOffsets& at, std::int64_t i, std::int64_t j) {
        std::vector<llvm::Value*> all;
        for (std::size_t k = 0; k < how.addends; ++k) {
            const std::int32_t step = columns.added[k];
            llvm::Value* place = shifted(at.addends[k], i * rows.added[k] + j * lanes * step);
            all.push_back(load(base.addends[k], place, step));
        }
        return all;
    }

    /// Vectors along a loop that is summed over; their lanes are added at the end.
    void sumOverLanes(const OperandOffsets& at, std::int64_t count) {
        const Sums sums = makeSums(count);
        const std::int64_t whole = columns.trips / lanes;
        sumUp(0, at, [&](const OperandOffsets& iteration) {
            loop(whole, [&](llvm::Value* k) {
                llvm::Value* elements = b.CreateMul(k, b.getInt64(index(lanes)));
                addProducts(sums, moved(b, iteration, columns, elements), count, 1);
            });
        });
        Tiles rest(*this);
        rest.lanes = 1;
        const Sums others = rest.makeSums(count);
        if (columns.trips % lanes != 0) {
            rest.sumUp(0, at, [&](const OperandOffsets& iteration) {
                loop(columns.trips % lanes, [&](llvm::Value* k) {
                    llvm::Value* place = b.CreateAdd(k, b.getInt64(index(whole * lanes)));
                    rest.addProducts(others, moved(b, iteration, columns, place), count, 1);
                });
            });
        }
        for (std::int64_t i = 0; i < count; ++i) {
            llvm::Value* sum = total(b.CreateLoad(vectorType(), sums[index(i)]));
            llvm::Value* more = b.CreateLoad(element, others[index(i)]);
            sum = element->isFloatingPointTy() ? b.CreateFAdd(sum, more) : b.CreateAdd(sum, more);
            std::vector<llvm::Value*> addends;
            for (std::size_t k = 0; k < how.addends; ++k)
                addends.push_back(
                    rest.load(base.addends[k], shifted(at.addends[k], i * rows.added[k]), 1));
            sum = finishSum(b, sum, addends, how.bounds);
            b.CreateStore(sum, address(base.out, shifted(at.out, i * rows.out)));
        }
    }

    /// The upper half of the lanes is added to the lower one, until one is left.
    llvm::Value* total(llvm::Value* vector) {
        for (std::int64_t left = lanes; left > 1; left /= 2) {
            auto half = [&](std::int64_t first) {
                std::vector<int> places;
                for (std::int64_t k = 0; k < left / 2; ++k)
                    places.push_back(static_cast<int>(first + k));
                return b.CreateShuffleVector(vector, places);
            };
            llvm::Value *lower = half(0), *upper = half(left / 2);
            vector = element->isFloatingPointTy() ? b.CreateFAdd(lower, upper)
                                                  : b.CreateAdd(lower, upper);
        }
        return lanes == 1 ? vector : b.CreateExtractElement(vector, b.getInt64(0));
    }

    llvm::IRBuilder<>& b;
    llvm::IRBuilder<>& entry;
    llvm::Type* element;
    Contraction how;
    OperandOffsets base;
    std::array<Factor, 2> factors;
    std::function<void()> poll;
};

}  // namespace

SumOrder orderOf(const Contraction& how, std::int64_t elementBytes) {
    const Division found(how, elementBytes);
    SumOrder order{found.summed, 1, found.sumsLanes, false};
    if (found.sumsLanes) {
        order.loops.push_back(found.columns);
        order.parts = found.lanes;
    }
    return order;
}

void emitContraction(llvm::IRBuilder<>& b, llvm::IRBuilder<>& entry,
                     const ir::Contraction& contraction, const Operands& operands,
                     const std::function<void()>& poll) {
    Tiles(b, entry, operands, contraction, poll).emit();
}

}  // namespace strc::codegen
