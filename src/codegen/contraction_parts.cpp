// Large products in parts that the threads of the pool do side by side: a function that does one part, and a call
// of the runtime that has all of them done. The parts do not depend on how many threads there are, so neither do
// the results.

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "base/pass.h"
#include "codegen/detail/grain.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/rings.h"
#include "codegen/detail/shared_parts.h"

namespace strc::codegen {
namespace {

using ir::Contraction;
using ir::ContractionLoop;

/// Tiles want so many iterations of a loop.
constexpr std::int64_t kTile = 16;

/// Of a part that packs what others pack, too.
constexpr std::int64_t kLeastThatPacks = 8 * kLeastOfPart;

/// Iterations of one loop by `grain`.
struct Parts {
    std::size_t loop = 0;
    std::int64_t grain = 0;
};

/// Along the outermost loop of the result that has enough iterations.
std::optional<Parts> findParts(const Contraction& how) {
    const std::int64_t products = countProducts(how);
    if (products < kLeastShared) return std::nullopt;
    std::optional<Parts> best;
    for (std::size_t k = 0; k < how.loops.size(); ++k) {
        const ContractionLoop& loop = how.loops[k];
        if (loop.out == 0) continue;
        const std::int64_t perTile = products / loop.trips * kTile;
        const std::int64_t grain =
            grainOf(piecesOf(loop.trips, kTile), piecesOf(kLeastOfPart, perTile)) * kTile;
        if (grain >= loop.trips) continue;
        if (!best || loop.out > how.loops[best->loop].out) best = Parts{k, grain};
    }
    return best;
}

// ---- products

/// Loops of a product that can be divided. Columns of panels: as many as stand in whole panels.
enum class SplitLoop : std::uint8_t { Outer, Columns, Lines, Rows };

struct ProductParts {
    SplitLoop splitLoop = SplitLoop::Rows;
    std::int64_t grain = 0;
};

ContractionLoop loopOf(const Product& how, SplitLoop splitLoop) {
    if (splitLoop == SplitLoop::Outer) return how.outer[0];
    if (splitLoop == SplitLoop::Lines) return how.lines[0];
    if (splitLoop == SplitLoop::Rows) return how.rows;
    ContractionLoop columns = how.columns[0];
    // Panels lie one behind the other, with all sums.
    if (how.source == VectorSource::Stored) columns.b = static_cast<std::int32_t>(how.countSums());
    return columns;
}

/// The time that it takes, in products of tiles that do as many in a cycle as any.
std::int64_t costOf(const Product& how) {
    constexpr double kMostInCycle = 32;
    return static_cast<std::int64_t>(how.cycles * kMostInCycle);
}

/// Rounds that belong together; 0: the loop cannot be divided.
std::int64_t unitOf(const Product& how, SplitLoop splitLoop) {
    const bool isSingle = how.columns.size() == 1;
    switch (splitLoop) {
        case SplitLoop::Outer: return how.outer.empty() ? 0 : 1;
        case SplitLoop::Columns:
            if (how.source == VectorSource::Packed) return how.block;
            if (isSingle) return how.vectors * how.lanes;
            return how.source == VectorSource::Stored ? 0 : how.vectors;
        case SplitLoop::Lines:
            return how.lines.empty() || how.source == VectorSource::Packed ? 0 : 1;
        case SplitLoop::Rows: break;
    }
    // Each part packs all columns again.
    const std::int64_t fewest = how.source == VectorSource::Packed ? how.rows.trips / 4 : 1;
    return std::max(how.height, fewest / how.height * how.height);
}

std::optional<ProductParts> findParts(const Product& how) {
    const std::int64_t cost = costOf(how);
    if (cost < kLeastShared) return std::nullopt;
    std::array<SplitLoop, 4> order{SplitLoop::Outer, SplitLoop::Columns, SplitLoop::Lines,
                                   SplitLoop::Rows};
    if (how.rowsOutside && how.source == VectorSource::Stored)
        order = {SplitLoop::Outer, SplitLoop::Lines, SplitLoop::Rows, SplitLoop::Columns};
    for (const SplitLoop splitLoop : order) {
        const std::int64_t unit = unitOf(how, splitLoop);
        if (unit == 0) continue;
        const std::int64_t trips = loopOf(how, splitLoop).trips;
        const std::int64_t perUnit = std::max<std::int64_t>(1, cost / trips * unit);
        const bool packsAgain = splitLoop == SplitLoop::Rows && how.source == VectorSource::Packed;
        const std::int64_t least = packsAgain ? kLeastThatPacks : kLeastOfPart;
        const std::int64_t grain = grainOf(piecesOf(trips, unit), piecesOf(least, perUnit)) * unit;
        if (grain < trips) return ProductParts{splitLoop, grain};
    }
    return std::nullopt;
}

/// So many iterations of that loop, from the beginnings of the operands on.
Product partOf(Product how, SplitLoop splitLoop, std::int64_t count) {
    const auto trips = static_cast<std::int32_t>(count);
    switch (splitLoop) {
        case SplitLoop::Outer: how.outer[0].trips = trips; break;
        case SplitLoop::Lines: how.lines[0].trips = trips; break;
        case SplitLoop::Columns:
            how.columns[0].trips = trips;
            how.block = std::min(how.block, count);
            break;
        case SplitLoop::Rows: {
            how.rows.trips = trips;
            const std::int64_t tiles = (count + how.height - 1) / how.height;
            how.height = (count + tiles - 1) / tiles;
            break;
        }
    }
    return how;
}

const char* nameOf(SplitLoop splitLoop) {
    switch (splitLoop) {
        case SplitLoop::Outer: return "around";
        case SplitLoop::Columns: return "columns";
        case SplitLoop::Lines: return "lines";
        case SplitLoop::Rows: break;
    }
    return "rows";
}

std::string textOf(std::int64_t trips, std::int64_t grain) {
    return fmt::format("{} parts of {} ", (trips + grain - 1) / grain, grain);
}

/// An application of the pass.
bool isShared(ModuleBuilder& m, llvm::IRBuilder<>& b, const std::function<std::string()>& text) {
    base::PassRun run(m.passes, base::Pass::ParallelProducts,
                      b.GetInsertBlock()->getParent()->getName().str());
    if (run) run.show(text);
    return static_cast<bool>(run);
}

}  // namespace

void emitContractionParts(const ContractionSite& site, const Contraction& how,
                          const Operands& operands) {
    auto& [m, b, entry, env] = site;
    const std::optional<Parts> parts = m.options.inPieces ? std::nullopt : findParts(how);
    if (!parts || !isShared(m, b, [&] {
            return textOf(how.loops[parts->loop].trips, parts->grain) + "rounds of loops\n";
        }))
        return emitContraction(b, entry, how, operands, [&] { emitPoll(m, b, env); });
    auto some = [&](llvm::IRBuilder<>& builder, llvm::IRBuilder<>& variables, const Operands& here,
                    std::int64_t count, llvm::Value*) {
        Contraction piece = how;
        piece.loops[parts->loop].trips = static_cast<std::int32_t>(count);
        emitContraction(builder, variables, piece, here, [] {});
    };
    emitShared(m, b, entry, {how.loops[parts->loop], parts->grain, some}, operands, env);
}

void emitProductParts(const ContractionSite& site, const Product& how, const Operands& operands,
                      llvm::Value* scratch) {
    auto& [m, b, entry, env] = site;
    const std::optional<ProductParts> parts = m.options.inPieces ? std::nullopt : findParts(how);
    if (!parts || !isShared(m, b, [&] {
            return textOf(loopOf(how, parts->splitLoop).trips, parts->grain) +
                   nameOf(parts->splitLoop) + ": " + print(how);
        }))
        return emitProduct(b, how, m.target(), operands, scratch, [&] { emitPoll(m, b, env); });
    auto some = [&](llvm::IRBuilder<>& builder, llvm::IRBuilder<>& variables, const Operands& here,
                    std::int64_t count, llvm::Value*) {
        emitPiece(m, builder, variables, partOf(how, parts->splitLoop, count), here);
    };
    // The operands of a product may have changed places.
    ContractionLoop loop = loopOf(how, parts->splitLoop);
    if (how.isSwapped) std::swap(loop.a, loop.b);
    emitShared(m, b, entry, {loop, parts->grain, some}, operands, env);
}

}  // namespace strc::codegen
