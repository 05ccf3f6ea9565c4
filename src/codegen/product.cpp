#include "codegen/detail/product.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <fmt/format.h>

#include "codegen/detail/dots.h"
#include "codegen/detail/grain.h"
#include "codegen/detail/tiles.h"

namespace strc::codegen {
namespace {

using ir::Contraction;
using ir::ContractionLoop;
using Loops = std::vector<ContractionLoop>;

constexpr std::int64_t kMostTileVectors = 8;
constexpr std::int64_t kMostTileRows = 14;
constexpr std::int64_t kMostStep = 4;  ///< of a vector whose elements are not neighbours
constexpr std::int64_t kLeastProducts = 64;

std::int64_t countTrips(const Loops& loops) {
    std::int64_t count = 1;
    for (const ContractionLoop& loop : loops) count *= loop.trips;
    return count;
}

/// Loops that follow each other in all operands are one.
Loops merged(const Loops& loops) {
    Loops result;
    for (const ContractionLoop& loop : loops) {
        if (loop.trips == 1) continue;
        if (!result.empty()) {
            ContractionLoop& before = result.back();
            if (ir::follows(before, loop)) {
                const std::int32_t trips = before.trips * loop.trips;
                before = loop;
                before.trips = trips;
                continue;
            }
        }
        result.push_back(loop);
    }
    return result;
}

/// One way round: `a` gives the scalars, or vectors in their place.
class Orientation {
public:
    Orientation(const Contraction& how, bool isSwapped, bool areRowsVectors,
                std::int64_t elementBytes, const target::Model& target, bool canStore)
        : target(target), elementBytes(elementBytes), canStore(canStore) {
        made.isSwapped = isSwapped;
        made.areRowsVectors = areRowsVectors;
        made.firstOut = how.out;
        made.firstA = how.a;
        made.firstB = how.b;
        made.addends = how.addends;
        made.firstAdded = how.added;
        made.bounds = how.bounds;
        divide(merged(how.loops));
    }

    /// The best way with panels that are stored.
    std::optional<Product> bestStored() {
        if (columns.empty() || !canStore || movesVectors(others) || !areAddendsLinear())
            return std::nullopt;
        sortSums();
        tryPanels(VectorSource::Stored);
        return found;
    }

    /// The best way, if there is one.
    std::optional<Product> best() {
        if (columns.empty()) return std::nullopt;
        tryDirect();
        if (areAddendsLinear()) {
            sortSums();
            if (canStore && !movesVectors(others)) tryPanels(VectorSource::Stored);
            if (made.rows.trips > 1) tryPanels(VectorSource::Packed);
        }
        return found;
    }

private:
    /// Who does what: the loops of the columns, the rows, the sums and all others.
    void divide(const Loops& loops) {
        Loops beside;  // move vectors alone, or both as the result moves
        for (const ContractionLoop& loop : loops) {
            if (loop.out == 0)
                made.sums.push_back(loop);
            else if (loop.b != 0 && loop.a == (made.areRowsVectors ? loop.out : 0))
                beside.push_back(loop);
            else
                others.push_back(loop);
        }
        if (made.sums.empty()) made.sums.push_back({1, 0, 0, 0, {}});
        takeRows();
        takeColumns(beside);
        others.insert(others.end(), beside.begin(), beside.end());
    }

    void takeRows() {
        auto best = others.end();
        for (auto loop = others.begin(); loop != others.end(); ++loop)
            if (loop->b == 0 && loop->a != 0 &&
                (best == others.end() || loop->trips >= best->trips))
                best = loop;
        if (best == others.end()) return;
        made.rows = *best;
        others.erase(best);
    }

    /// Those that follow each other in the result, the last one by single elements.
    void takeColumns(Loops& from) {
        std::int64_t step = 1;
        for (bool isMore = true; isMore;) {
            isMore = false;
            for (auto loop = from.begin(); loop != from.end(); ++loop) {
                if (loop->out != step) continue;
                step *= loop->trips;
                columns.insert(columns.begin(), *loop);
                from.erase(loop);
                isMore = true;
                break;
            }
        }
    }

    /// Panels have any order of sums: the one in which rows are read from their beginnings to their ends.
    void sortSums() {
        std::stable_sort(made.sums.begin(), made.sums.end(),
                         [](const ContractionLoop& x, const ContractionLoop& y) {
                             return std::abs(x.a) > std::abs(y.a);
                         });
    }

    /// Over all columns, which follow each other in the result, addends stand still or follow each other as well.
    bool areAddendsLinear() const {
        for (std::size_t k = 0; k < made.addends; ++k) {
            const bool moves = columns.back().added[k] != 0;
            for (const ContractionLoop& loop : columns)
                if (loop.added[k] != (moves ? loop.out : 0)) return false;
        }
        return true;
    }

    static bool movesVectors(const Loops& loops) {
        return std::any_of(loops.begin(), loops.end(),
                           [](const ContractionLoop& loop) { return loop.b != 0; });
    }

    std::int64_t lanesFor(std::int64_t count) const {
        const auto most = static_cast<std::uint64_t>(
            std::max<std::int64_t>(1, target.vectorBytes / elementBytes));
        return static_cast<std::int64_t>(
            std::min(most, std::bit_ceil(static_cast<std::uint64_t>(count))));
    }

    /// Rows that fit into the registers, equally high as far as possible.
    std::int64_t heightFor(std::int64_t vectors) const {
        const std::int64_t free = target.vectorRegisters - 2 - (vectors > 1 ? vectors : 0);
        const std::int64_t perRow = made.areRowsVectors ? 2 * vectors : vectors;
        const std::int64_t most = std::clamp<std::int64_t>(free / perRow, 0, kMostTileRows);
        if (most == 0) return 0;
        return piecesOf(made.rows.trips, piecesOf(made.rows.trips, most));
    }

    /// Cycles for one more sum, of all rows times so many vectors.
    double sumCycles(std::int64_t vectors, std::int64_t height, double loads) const {
        auto tile = [&](std::int64_t rows) {
            const double products = static_cast<double>(rows * vectors) / target.productsAtOnce;
            const std::int64_t factors = made.areRowsVectors ? rows * vectors : rows;
            const double moved =
                (static_cast<double>(factors) + static_cast<double>(vectors) * loads) /
                target.productsAtOnce;
            return std::max({products, moved, target.productLatency});
        };
        const std::int64_t tiles = piecesOf(made.rows.trips, height);
        const std::int64_t high = made.rows.trips - tiles * (height - 1);
        return static_cast<double>(high) * tile(height) +
               static_cast<double>(tiles - high) * tile(height - 1);
    }

    void consider(Product way) {
        if (!found || way.cycles < found->cycles) found = std::move(way);
    }

    void tryDirect() {
        Product way = made;
        const ContractionLoop along = columns.back();
        if (along.b < 1 || along.b > kMostStep) return;
        for (std::int32_t step : along.added)
            if (step != 0 && step != 1) return;
        const std::size_t own = std::min<std::size_t>(columns.size(), 2);
        way.columns.assign(columns.end() - static_cast<std::ptrdiff_t>(own), columns.end());
        way.outer = others;
        way.outer.insert(way.outer.end(), columns.begin(),
                         columns.end() - static_cast<std::ptrdiff_t>(own));
        way.source = VectorSource::Direct;
        way.lanes = lanesFor(along.trips);
        const std::int64_t across = piecesOf(along.trips, way.lanes);
        const std::int64_t down = own > 1 ? way.columns[0].trips : 1;
        const double loads = along.b == 1 ? 1.5 : 3;
        const auto sums = static_cast<double>(way.countSums());
        for (std::int64_t vectors = 1; vectors <= kMostTileVectors; ++vectors) {
            way.vectors = vectors;
            way.height = heightFor(vectors);
            if (way.height == 0 || vectors > across * down) break;
            if (across < vectors && vectors % across != 0) continue;
            auto tiles = [&](std::int64_t all, std::int64_t size, std::int64_t each) {
                double cycles =
                    static_cast<double>(all / size) * sumCycles(size * each, way.height, loads);
                if (all % size != 0) cycles += sumCycles(all % size * each, way.height, loads);
                return cycles;
            };
            const double perSum = across < vectors
                                      ? tiles(down, vectors / across, across)
                                      : static_cast<double>(down) * tiles(across, vectors, 1);
            way.cycles = perSum * sums * static_cast<double>(countTrips(way.outer));
            consider(way);
        }
    }

    void tryPanels(VectorSource source) {
        Product way = made;
        way.columns = columns;
        for (const ContractionLoop& loop : others)
            (loop.b == 0 ? way.lines : way.outer).push_back(loop);
        way.source = source;
        const std::int64_t all = countTrips(columns);
        way.lanes = lanesFor(all);
        for (std::int64_t vectors = 1; vectors <= kMostTileVectors; ++vectors) {
            way.vectors = vectors;
            way.height = heightFor(vectors);
            if (way.height == 0 || vectors > piecesOf(all, way.lanes)) break;
            const std::int64_t first = way.columns[0].trips;
            const std::int64_t inner = all / first;
            way.block = first;
            way.rowsOutside = source == VectorSource::Packed || keepsPanels(way);
            if (source == VectorSource::Packed && !fitBlock(way, inner)) continue;
            const double perSum =
                static_cast<double>(first / way.block) * panelCycles(way, way.block * inner) +
                (first % way.block == 0 ? 0 : panelCycles(way, first % way.block * inner));
            way.cycles = perSum * static_cast<double>(way.countSums()) *
                         static_cast<double>(countTrips(way.outer));
            consider(way);
        }
    }

    /// Do the panels stay in the second cache while the rows, which are more, go by?
    bool keepsPanels(const Product& way) const {
        const std::int64_t panels = way.packedElements(countTrips(columns)) * elementBytes;
        const std::int64_t rows =
            countTrips(way.lines) * way.rows.trips * way.countSums() * elementBytes;
        return made.areRowsVectors || (panels <= target.secondCacheBytes && panels < rows);
    }

    /// As many iterations as there is memory for, in blocks that are equally large as far as possible.
    bool fitBlock(Product& way, std::int64_t inner) const {
        const std::int64_t first = way.columns[0].trips;
        for (std::int64_t blocks = 1; blocks <= first; ++blocks) {
            way.block = piecesOf(first, blocks);
            if (inner == 1)
                way.block = std::min(
                    first, piecesOf(way.block, way.lanes * way.vectors) * way.lanes * way.vectors);
            if (way.scratchBytes(elementBytes) <= kMostPacked) return true;
            if (inner == 1 && way.block <= way.lanes * way.vectors) return false;
        }
        return false;
    }

    /// Cycles for one more sum in panels of so many columns.
    double panelCycles(const Product& way, std::int64_t count) const {
        const std::int64_t vectors = piecesOf(count, way.lanes);
        double cycles =
            static_cast<double>(vectors / way.vectors) * sumCycles(way.vectors, way.height, 1);
        if (vectors % way.vectors != 0) cycles += sumCycles(vectors % way.vectors, way.height, 1);
        cycles *= static_cast<double>(countTrips(way.lines));
        if (way.source == VectorSource::Stored) return cycles;
        const ContractionLoop& along = way.columns.back();
        const bool isLine = way.columns.size() == 1;
        const double perLoad = along.b == 1 ? 2
                               : along.b > 1 && along.b <= kMostStep
                                   ? 4
                                   : 2 * static_cast<double>(way.lanes);
        const auto runs = static_cast<double>(count / along.trips) *
                          static_cast<double>(piecesOf(along.trips, way.lanes));
        if (isLine) return cycles + static_cast<double>(vectors) * perLoad;
        return cycles + runs * perLoad + static_cast<double>(vectors) * 2;
    }

    const target::Model& target;
    const std::int64_t elementBytes;
    const bool canStore;
    Product made;
    Loops columns, others;
    std::optional<Product> found;
};

}  // namespace

std::int64_t Product::countSums() const { return countTrips(sums); }
std::int64_t Product::countColumns() const { return countTrips(columns); }

std::int64_t Product::countTilesOfRows() const {
    return countTrips(lines) * piecesOf(rows.trips, height);
}

bool Product::canFetchPanels() const {
    return source == VectorSource::Stored && !rowsOutside && countTilesOfRows() > 1 &&
           countColumns() > vectors * lanes;
}

std::int64_t Product::packedElements(std::int64_t columnCount) const {
    return piecesOf(columnCount, lanes) * lanes * countSums();
}

std::int64_t Product::scratchBytes(std::int64_t elementBytes) const {
    if (source != VectorSource::Packed) return 0;
    const std::int64_t packed = countColumns() / columns[0].trips * block;
    return (packedElements(packed) + packed + 2 * lanes) * elementBytes;
}

Product::Words Product::wordsOfRows() const {
    std::int64_t low = firstA, high = firstA;
    auto reach = [&](const ContractionLoop& loop) {
        const std::int64_t way = std::int64_t{loop.trips - 1} * loop.a;
        (way < 0 ? low : high) += way;
    };
    for (const Loops* loops : {&outer, &lines, &sums})
        for (const ContractionLoop& loop : *loops) reach(loop);
    reach(rows);
    return {low, high - low + 1};
}

std::int64_t Product::preparedBytes() const {
    return preparesRows ? wordsOfRows().count * kPreparedBytes : 0;
}

std::optional<Product> productOf(const Contraction& how, std::int64_t elementBytes,
                                 const target::Model& target, bool canStoreA, bool canStoreB) {
    if (ir::countProducts(how) < kLeastProducts) return std::nullopt;
    std::optional<Product> best;
    for (const bool isSwapped : {false, true})
        for (const bool areRowsVectors : {false, true}) {
            std::optional<Product> way =
                Orientation(isSwapped ? ir::swapped(how) : how, isSwapped, areRowsVectors,
                            elementBytes, target, isSwapped ? canStoreA : canStoreB)
                    .best();
            if (way && (!best || way->cycles < best->cycles)) best = std::move(way);
        }
    return best;
}

namespace {

/// The contraction of words of so many neighbours of a, whose b's are `loop.b` apart: the loop that goes through them, and whether
/// all else leads from word to word. None: it does not.
std::optional<Contraction> inWords(const Contraction& how, std::int32_t word,
                                   std::int64_t& wordStep) {
    Contraction made = how;
    auto inner =
        std::find_if(made.loops.begin(), made.loops.end(), [&](const ContractionLoop& loop) {
            return loop.out == 0 && loop.a == 1 && loop.trips % word == 0;
        });
    if (inner == made.loops.end() || made.a % word != 0) return std::nullopt;
    wordStep = inner->b;
    inner->a *= word;
    inner->b *= word;
    inner->trips /= word;
    for (ContractionLoop& loop : made.loops) {
        if (loop.a % word != 0) return std::nullopt;
        loop.a /= word;
    }
    made.a /= word;
    return made;
}

}  // namespace

std::optional<Product> dotProductOf(const Contraction& how, const target::Model& target,
                                    bool canStoreA, bool canStoreB) {
    constexpr std::int64_t kSumBytes = 4, kFewestLanes = 4;
    if (target.dots == target::Dots::None || ir::countProducts(how) < kLeastProducts)
        return std::nullopt;
    const auto word = static_cast<std::int32_t>(wordOf(target.dots));
    std::optional<Product> best;
    for (const bool isSwapped : {false, true}) {
        std::int64_t wordStep = 0;
        const std::optional<Contraction> words =
            inWords(isSwapped ? ir::swapped(how) : how, word, wordStep);
        if (!words) continue;
        std::optional<Product> way = Orientation(*words, isSwapped, false, kSumBytes, target,
                                                 isSwapped ? canStoreA : canStoreB)
                                         .bestStored();
        if (!way || way->lanes < kFewestLanes || (best && best->cycles <= way->cycles)) continue;
        way->word = word;
        way->wordStep = wordStep;
        way->preparesRows =
            arePrepared(target.dots) && way->wordsOfRows().count * kPreparedBytes <= kMostPacked;
        best = std::move(way);
    }
    return best;
}

void fixParts(Product& product) {
    const std::int64_t inner = product.sums.back().trips;
    product.parts = std::clamp<std::int64_t>(kFewestSums / (product.height * product.vectors), 1,
                                             std::max<std::int64_t>(1, inner));
    // Panels may have made one loop of several: the numbers of iterations have to go on from each to the next.
    if (product.sums.size() > 1 && inner % product.parts != 0)
        product.parts = product.parts % 2 == 0 && inner % 2 == 0 ? 2 : 1;
}

std::string print(const Product& product) {
    static constexpr const char* kSources[] = {"direct", "stored", "packed"};
    auto text = [](const Loops& loops) {
        std::string all;
        for (const ContractionLoop& loop : loops)
            all += fmt::format("{}{}", all.empty() ? "" : " x ", loop.trips);
        return all.empty() ? std::string("1") : all;
    };
    Loops rows = product.lines;
    rows.push_back(product.rows);
    std::string line = fmt::format(
        "rows {} ({}of {}), columns {}, sums {}, around {}: tiles {} x {} of {} lanes, vectors {}",
        text(rows), product.areRowsVectors ? "vectors " : "", product.isSwapped ? "b" : "a",
        text(product.columns), text(product.sums), text(product.outer), product.height,
        product.vectors, product.lanes, kSources[static_cast<std::size_t>(product.source)]);
    if (product.word > 1) line += fmt::format(" in words of {} bytes", product.word);
    if (product.preparesRows) line += ", rows prepared";
    if (product.rowsOutside && product.source == VectorSource::Stored) line += ", rows outside";
    if (product.fetchesPanels) line += ", next panel fetched";
    if (product.source == VectorSource::Packed)
        line += fmt::format(" in blocks of {}", product.block);
    if (product.addends > 0) line += fmt::format(", plus {}", product.addends);
    if (product.bounds.areAny())
        line += fmt::format(", within {} and {}", product.bounds.low, product.bounds.high);
    return line + "\n";
}

}  // namespace strc::codegen
