// Products of matrices: the loops around tiles, and panels.

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "codegen/detail/contractions.h"
#include "codegen/detail/dots.h"
#include "codegen/detail/module_builder.h"
#include "codegen/detail/rings.h"
#include "codegen/detail/tiles.h"

namespace strc::codegen {
namespace {

using ir::ContractionLoop;
using Loops = std::vector<ContractionLoop>;

/// Shorter products ask nobody whether they should stop.
constexpr double kShort = 20'000;
constexpr std::align_val_t kLine{64};  ///< of a cache

class ProductEmitter {
public:
    ProductEmitter(llvm::IRBuilder<>& builder, const Product& product, const target::Model& target,
                   const Operands& operands, llvm::Value* scratch,
                   const std::function<void()>& pollNow)
        : b(builder),
          module(*b.GetInsertBlock()->getModule()),
          how(product),
          target(target),
          element(operands.element),
          factorA(product.isSwapped ? operands.factorB : operands.factorA),
          factorB(product.isSwapped ? operands.factorA : operands.factorB),
          base{operands.out, product.isSwapped ? operands.b : operands.a,
               product.isSwapped ? operands.a : operands.b, operands.addends},
          scratch(scratch),
          poll(pollNow),
          sums(product.countSums()),
          width(product.vectors * product.lanes) {}

    void emit() {
        OperandOffsets first{number(how.firstOut), number(how.firstA), number(how.firstB)};
        for (std::size_t k = 0; k < how.addends; ++k)
            first.addends.push_back(number(how.firstAdded[k]));
        around(0, first);
    }

private:
    llvm::Value* number(std::int64_t value) {
        return b.getInt64(static_cast<std::uint64_t>(value));
    }

    void pollNow() {
        if (how.cycles > kShort) poll();
    }

    /// Pieces of `size` and one for what is left.
    void parts(std::int64_t all, std::int64_t size,
               const std::function<void(llvm::Value*, std::int64_t)>& part) {
        if (all / size > 0)
            emitLoop(b, all / size,
                     [&](llvm::Value* k) { part(b.CreateMul(k, number(size)), size); });
        if (all % size > 0) part(number(all - all % size), all % size);
    }

    void around(std::size_t depth, const OperandOffsets& at) {
        if (depth < how.outer.size())
            return emitLoop(b, how.outer[depth].trips, [&](llvm::Value* k) {
                pollNow();
                around(depth + 1, moved(b, at, how.outer[depth], k));
            });
        switch (how.source) {
            case VectorSource::Direct: return direct(at);
            case VectorSource::Stored: return allTiles(how.countColumns(), base.b, at);
            case VectorSource::Packed: return packed(at);
        }
    }

    // ---- tiles

    Tile tileOf(std::vector<Tile::Vector> vectors) const {
        Tile tile;
        tile.bounds = how.bounds;
        for (std::size_t k = 0; k < how.addends; ++k) {
            Tile::Addend& addend = tile.addends.emplace_back();
            addend.row = how.rows.added[k];
            addend.isAlong = isAlong(k);
            for (const Tile::Vector& each : vectors)
                addend.vectors.push_back(addend.isAlong ? each.out : 0);
        }
        tile.factorA = factorA;
        tile.factorB = factorB;
        tile.word = how.word;
        tile.areRowsPrepared = how.preparesRows;
        tile.parts = how.parts;
        tile.areRowsVectors = how.areRowsVectors;
        tile.rowA = how.rows.a;
        tile.rowOut = how.rows.out;
        tile.vectors = std::move(vectors);
        tile.lanes = how.lanes;
        if (how.source == VectorSource::Direct) {
            tile.stepB = how.columns.back().b;
            tile.sums = how.sums;
        } else {
            tile.sums = panelSums(static_cast<std::int64_t>(tile.vectors.size()) * how.lanes);
        }
        return tile;
    }

    /// A panel has its sums one after the other, each of so many elements; the rows move as they do.
    Loops panelSums(std::int64_t row) const {
        Loops made;
        std::int64_t inside = 1;
        for (std::size_t k = how.sums.size(); k-- > 0;) {
            const ContractionLoop& loop = how.sums[k];
            if (!made.empty() && loop.a == made.front().a * made.front().trips)
                made.front().trips *= loop.trips;
            else
                made.insert(made.begin(),
                            {loop.trips, 0, loop.a, static_cast<std::int32_t>(inside * row), {}});
            inside *= loop.trips;
        }
        return made;
    }

    bool isAlong(std::size_t addend) const { return how.columns.back().added[addend] != 0; }

    /// Tiles over all rows, the high ones first: `body` gets their places.
    void allRows(const OperandOffsets& at,
                 const std::function<void(const OperandOffsets&, std::int64_t)>& body) {
        const std::int64_t tiles = (how.rows.trips + how.height - 1) / how.height;
        const std::int64_t high = how.rows.trips - tiles * (how.height - 1);
        auto some = [&](std::int64_t first, std::int64_t count, std::int64_t height) {
            if (count == 0) return;
            const OperandOffsets from = moved(b, at, how.rows, number(first));
            emitLoop(b, count, [&](llvm::Value* k) {
                pollNow();
                body(moved(b, from, how.rows, b.CreateMul(k, number(height))), height);
            });
        };
        some(0, high, how.height);
        some(high * how.height, tiles - high, how.height - 1);
    }

    llvm::Value* address(llvm::Value* of, llvm::Value* place) {
        return b.CreateInBoundsGEP(element, of, place);
    }
    llvm::Value* addressB(llvm::Value* of, llvm::Value* place) {
        return b.CreateInBoundsGEP(factorB.type, of, place);
    }

    /// All lines of rows.
    void allLines(const OperandOffsets& at,
                  const std::function<void(const OperandOffsets&, std::int64_t)>& body,
                  std::size_t depth = 0) {
        if (depth == how.lines.size()) return allRows(at, body);
        emitLoop(b, how.lines[depth].trips, [&](llvm::Value* k) {
            allLines(moved(b, at, how.lines[depth], k), body, depth + 1);
        });
    }

    void call(Tile tile, std::int64_t height, const OperandOffsets& at, llvm::Value* vectors) {
        tile.height = height;
        // Rows that are prepared are counted from the first element of what they are of, which may lie before the words.
        llvm::Value* rows = how.preparesRows ? b.CreateGEP(factorA.type, base.a, at.a)
                                             : b.CreateInBoundsGEP(factorA.type, base.a, at.a);
        std::vector<llvm::Value*> operands{rows, vectors, address(base.out, at.out)};
        for (std::size_t k = 0; k < how.addends; ++k)
            operands.push_back(address(base.addends[k], at.addends[k]));
        tile.fetched = fetched;
        if (ahead) operands.push_back(b.CreateLoad(b.getPtrTy(), ahead));
        llvm::Value* end = b.CreateCall(tileFunction(module, element, tile, target), operands);
        if (ahead) b.CreateStore(end, ahead);
    }

    // ---- vectors as they lie

    void direct(const OperandOffsets& at) {
        const ContractionLoop& along = how.columns.back();
        const ContractionLoop down =
            how.columns.size() > 1 ? how.columns[0] : ContractionLoop{1, 0, 0, 0, {}};
        const std::int64_t across = (along.trips + how.lanes - 1) / how.lanes;
        const std::int64_t together = std::max<std::int64_t>(1, how.vectors / across);
        // Whole vectors first; the last ones of a line have what is left of it.
        const std::int64_t whole = along.trips / how.lanes;
        const std::int64_t groups = across <= how.vectors ? 0 : whole / how.vectors;
        parts(down.trips, together, [&](llvm::Value* first, std::int64_t lines) {
            const OperandOffsets line = moved(b, at, down, first);
            auto some = [&](llvm::Value* vector, std::int64_t columns) {
                lineTiles(moved(b, line, along, b.CreateMul(vector, number(how.lanes))), down,
                          lines, columns);
            };
            if (groups > 0)
                emitLoop(b, groups,
                         [&](llvm::Value* k) { some(b.CreateMul(k, number(how.vectors)), width); });
            const std::int64_t rest = along.trips - groups * width;
            if (rest > 0) some(number(groups * how.vectors), rest);
        });
    }

    void lineTiles(const OperandOffsets& at, const ContractionLoop& down, std::int64_t lines,
                   std::int64_t columns) {
        const ContractionLoop& along = how.columns.back();
        std::vector<Tile::Vector> vectors;
        for (std::int64_t y = 0; y < lines; ++y)
            for (std::int64_t x = 0; x < columns; x += how.lanes)
                vectors.push_back(
                    {y * down.b + x * along.b, y * down.out + x, std::min(how.lanes, columns - x)});
        Tile tile = tileOf(std::move(vectors));
        for (std::size_t k = 0; k < how.addends; ++k)
            placeLines(k, lines, columns, tile.addends[k]);
        allRows(at, [&](const OperandOffsets& row, std::int64_t height) {
            call(tile, height, row, addressB(base.b, row.b));
        });
    }

    /// Where the vectors of lines begin in an addend, which may stand still from line to line.
    void placeLines(std::size_t k, std::int64_t lines, std::int64_t columns, Tile::Addend& addend) {
        const std::int64_t down = how.columns.size() > 1 ? how.columns[0].added[k] : 0;
        addend.vectors.clear();
        for (std::int64_t y = 0; y < lines; ++y)
            for (std::int64_t x = 0; x < columns; x += how.lanes)
                addend.vectors.push_back(y * down + x * how.columns.back().added[k]);
    }

    // ---- panels

    Tile panelTile(std::int64_t vectors, std::int64_t columns) const {
        std::vector<Tile::Vector> all;
        for (std::int64_t k = 0; k < vectors; ++k)
            all.push_back(
                {k * how.lanes, k * how.lanes, std::min(how.lanes, columns - k * how.lanes)});
        return tileOf(std::move(all));
    }

    /// `body(panel, at, tile)` for the panels of so many columns that lie at `memory`.
    void allPanels(
        std::int64_t columns, llvm::Value* memory, const OperandOffsets& at,
        const std::function<void(llvm::Value*, const OperandOffsets&, const Tile&)>& body) {
        auto some = [&](llvm::Value* first, std::int64_t count) {
            const std::int64_t vectors = (count + how.lanes - 1) / how.lanes;
            OperandOffsets there = at;
            there.out = b.CreateAdd(at.out, first);
            if (how.areRowsVectors) there.a = b.CreateAdd(at.a, first);
            for (std::size_t k = 0; k < how.addends; ++k)
                if (isAlong(k)) there.addends[k] = b.CreateAdd(at.addends[k], first);
            body(addressB(memory, b.CreateMul(first, number(sums))), there,
                 panelTile(vectors, count));
        };
        // A panel whose last vector is not full is one of its own.
        const std::int64_t full = columns / width;
        if (full > 0)
            emitLoop(b, full, [&](llvm::Value* k) { some(b.CreateMul(k, number(width)), width); });
        if (columns % width != 0) some(number(full * width), columns % width);
    }

    /// All tiles of so many columns, whose panels lie at `memory`. Either a tile of rows stays in the first cache for all panels, or
    /// a panel does for all rows.
    void allTiles(std::int64_t columns, llvm::Value* memory, const OperandOffsets& at) {
        if (how.rowsOutside)
            return allLines(at, [&](const OperandOffsets& row, std::int64_t height) {
                allPanels(columns, memory, row,
                          [&](llvm::Value* panel, const OperandOffsets& there, const Tile& tile) {
                              call(tile, height, there, panel);
                          });
            });
        allPanels(columns, memory, at,
                  [&](llvm::Value* panel, const OperandOffsets& there, const Tile& tile) {
                      if (how.fetchesPanels) beginFetching(panel, tile);
                      allLines(there, [&](const OperandOffsets& row, std::int64_t height) {
                          call(tile, height, row, panel);
                      });
                  });
    }

    /// The tiles of a panel fetch the one behind it, in equal parts. What lies behind the last one is fetched in vain.
    void beginFetching(llvm::Value* panel, const Tile& tile) {
        const auto elements = sums * static_cast<std::int64_t>(tile.vectors.size()) * how.lanes;
        const auto bytes =
            elements * static_cast<std::int64_t>(factorB.type->getPrimitiveSizeInBits() / 8);
        fetched = (bytes + how.countTilesOfRows() - 1) / how.countTilesOfRows();
        if (!ahead) {
            llvm::BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
            ahead = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(b.getPtrTy());
        }
        b.CreateStore(addressB(panel, number(elements)), ahead);
    }

    void packed(const OperandOffsets& at) {
        const ContractionLoop& first = how.columns[0];
        parts(first.trips, how.block, [&](llvm::Value* iteration, std::int64_t count) {
            pollNow();
            const OperandOffsets block = moved(b, at, first, iteration);
            const std::int64_t columns = how.countColumns() / first.trips * count;
            pack(block, count, columns);
            allTiles(columns, scratch, block);
        });
    }

    // ---- packing

    void pack(const OperandOffsets& at, std::int64_t count, std::int64_t columns) {
        llvm::Value* line = nullptr;
        if (how.columns.size() > 1) {
            line = addressB(scratch, number(how.packedElements(columns)));
            // What lies behind the last column is computed with.
            storeLanes(b, llvm::Constant::getNullValue(vectorType()),
                       addressB(line, number(columns - columns % how.lanes)), how.lanes);
        }
        forEachSum(0, at.b, number(0), [&](llvm::Value* from, llvm::Value* sum) {
            if (!line) return fillPanels(addressB(base.b, from), how.columns[0].b, sum, columns);
            fillLine(line, from, 0, number(0), count);
            fillPanels(line, 1, sum,
                       columns - columns % how.lanes + (columns % how.lanes != 0 ? how.lanes : 0));
        });
    }

    llvm::Type* vectorType() {
        return how.lanes == 1
                   ? factorB.type
                   : llvm::FixedVectorType::get(factorB.type, static_cast<unsigned>(how.lanes));
    }

    /// `body(place, sum)` for the first column of all sums.
    void forEachSum(std::size_t depth, llvm::Value* place, llvm::Value* sum,
                    const std::function<void(llvm::Value*, llvm::Value*)>& body) {
        if (depth == how.sums.size()) return body(place, sum);
        std::int64_t inner = 1;
        for (std::size_t k = depth + 1; k < how.sums.size(); ++k) inner *= how.sums[k].trips;
        emitLoop(b, how.sums[depth].trips, [&](llvm::Value* k) {
            forEachSum(depth + 1, movedBy(b, place, k, how.sums[depth].b),
                       movedBy(b, sum, k, inner), body);
        });
    }

    /// The columns of one sum, beside each other; what is written too much is written over, or lies behind them.
    void fillLine(llvm::Value* line, llvm::Value* from, std::size_t depth, llvm::Value* column,
                  std::int64_t count) {
        const ContractionLoop& loop = how.columns[depth];
        if (depth + 1 < how.columns.size())
            return emitLoop(b, depth == 0 ? count : loop.trips, [&](llvm::Value* k) {
                fillLine(line, movedBy(b, from, k, loop.b), depth + 1,
                         movedBy(b, column, k, loop.out), count);
            });
        parts(loop.trips, how.lanes, [&](llvm::Value* first, std::int64_t some) {
            llvm::Value* source = addressB(base.b, movedBy(b, from, first, loop.b));
            storeLanes(b, loadLanes(b, factorB.type, source, how.lanes, loop.b, some),
                       addressB(line, b.CreateAdd(column, first)), how.lanes);
        });
    }

    /// One sum of all panels.
    void fillPanels(llvm::Value* from, std::int64_t step, llvm::Value* sum, std::int64_t columns) {
        auto some = [&](llvm::Value* first, std::int64_t count) {
            const std::int64_t vectors = (count + how.lanes - 1) / how.lanes;
            llvm::Value* place = b.CreateAdd(b.CreateMul(first, number(sums)),
                                             b.CreateMul(sum, number(vectors * how.lanes)));
            llvm::Value* source = addressB(from, b.CreateMul(first, number(step)));
            for (std::int64_t k = 0; k < vectors; ++k) {
                const std::int64_t used = std::min(how.lanes, count - k * how.lanes);
                llvm::Value* there = addressB(source, number(k * how.lanes * step));
                storeLanes(b, loadLanes(b, factorB.type, there, how.lanes, step, used),
                           addressB(scratch, b.CreateAdd(place, number(k * how.lanes))), how.lanes);
            }
        };
        const std::int64_t full = columns / width;
        if (full > 0)
            emitLoop(b, full, [&](llvm::Value* k) { some(b.CreateMul(k, number(width)), width); });
        if (columns % width != 0) some(number(full * width), columns % width);
    }

    llvm::IRBuilder<>& b;
    llvm::Module& module;
    const Product& how;
    const target::Model& target;
    llvm::Type* element;
    const Factor factorA, factorB;
    OperandOffsets base;
    llvm::Value* scratch;
    const std::function<void()>& poll;
    const std::int64_t sums;
    const std::int64_t width;  ///< columns of a panel
    std::int64_t fetched = 0;  ///< bytes of the next panel, by each tile
    llvm::Value* ahead = nullptr;  ///< a variable: where the next tile begins to fetch
};

/// How the operand that gives the vectors becomes panels, as allPanels finds them.
PanelsOf panelsOf(const Product& how, std::int64_t elementBytes) {
    const std::int64_t width = how.vectors * how.lanes;
    STRC_ASSERT(width <= STRC_PANEL_WIDTH, "a panel is wider than any tile");
    PanelsOf made{{static_cast<std::uint64_t>(elementBytes), how.firstB, how.lanes, width, how.word,
                   how.wordStep, static_cast<std::uint32_t>(how.columns.size()),
                   static_cast<std::uint32_t>(how.sums.size())},
                  {}};
    for (const Loops* loops : {&how.columns, &how.sums})
        for (const ContractionLoop& loop : *loops) made.loops.push_back({loop.trips, loop.b});
    return made;
}

/// Vectors of full width lie in one line of the cache each.
std::shared_ptr<std::byte> panelZeros(std::size_t bytes) {
    auto* memory = static_cast<std::byte*>(::operator new[](bytes, kLine));
    std::memset(memory, 0, bytes);
    return {memory, [](std::byte* all) { ::operator delete[](all, kLine); }};
}

/// For all that is done with panels, those of the same numbers are the same.
std::string keyOf(const PanelsOf& panels) {
    std::string key(reinterpret_cast<const char*>(&panels.how), sizeof panels.how);
    key.append(reinterpret_cast<const char*>(panels.loops.data()),
               panels.loops.size() * sizeof panels.loops[0]);
    return key;
}

}  // namespace

void emitProduct(llvm::IRBuilder<>& b, const Product& product, const target::Model& target,
                 const Operands& operands, llvm::Value* scratch,
                 const std::function<void()>& poll) {
    ProductEmitter(b, product, target, operands, scratch, poll).emit();
}

void prepareRows(llvm::IRBuilder<>& b, const Product& product, const target::Model& target,
                 Operands& operands, llvm::Value* scratch) {
    llvm::Value*& a = product.isSwapped ? operands.b : operands.a;
    Factor& factor = product.isSwapped ? operands.factorB : operands.factorA;
    const Product::Words words = product.wordsOfRows();
    auto some = [&](llvm::Value* first, std::int64_t lanes) {
        llvm::Type* type =
            lanes == 1 ? factor.type
                       : llvm::FixedVectorType::get(factor.type, static_cast<unsigned>(lanes));
        llvm::Value* from =
            b.CreateInBoundsGEP(factor.type, a, b.CreateAdd(first, b.getInt64(asU64(words.first))));
        llvm::Value* word = b.CreateAlignedLoad(type, from, llvm::Align(1));
        llvm::Value* to = b.CreateInBoundsGEP(b.getInt32Ty(), scratch, first);
        b.CreateAlignedStore(rowWord(b, word, target.dots), to, llvm::Align(kPreparedBytes));
    };
    const std::int64_t lanes = target.vectorBytes / kPreparedBytes;
    const std::int64_t whole = words.count / lanes, rest = words.count % lanes;
    if (whole > 0)
        emitLoop(b, whole,
                 [&](llvm::Value* k) { some(b.CreateMul(k, b.getInt64(asU64(lanes))), lanes); });
    if (rest > 0)
        emitLoop(b, rest, [&](llvm::Value* k) {
            some(b.CreateAdd(k, b.getInt64(asU64(whole * lanes))), 1);
        });
    factor.type = b.getInt32Ty();
    a = b.CreateGEP(factor.type, scratch, b.getInt64(asU64(-words.first)));
}

llvm::Constant* ModuleBuilder::packed(const ir::StoredArray& array, const Product& product) {
    const std::int64_t elementBytes = types::sizeOf(array.type->element);
    PanelsOf panels = panelsOf(product, elementBytes);
    auto [found, isNew] = packedArrays.try_emplace({array.bytes.get(), keyOf(panels)});
    if (!isNew) return found->second;
    const bool isKnown = !(options.mapsWeights && array.isInFile);
    const std::int64_t size =
        product.packedElements(product.countColumns()) * product.word * elementBytes;
    auto* type = llvm::ArrayType::get(i8(), static_cast<std::uint64_t>(size));
    const std::size_t others = impl.packed.size() + impl.startPanels.size();
    const std::string symbol = "strc_packed_" + std::to_string(others);
    auto* global =
        new llvm::GlobalVariable(module, type, isKnown, llvm::GlobalValue::ExternalLinkage,
                                 isKnown ? nullptr : llvm::Constant::getNullValue(type), symbol);
    global->setAlignment(
        llvm::Align(isKnown ? static_cast<std::uint64_t>(elementBytes * product.word) : 64));
    found->second = global;
    if (!isKnown) {
        global->setVisibility(llvm::GlobalValue::HiddenVisibility);
        impl.startPanels.push_back({symbol, storedSymbol(array).symbol, std::move(panels)});
        return global;
    }
    std::shared_ptr<std::byte> bytes = panelZeros(static_cast<std::size_t>(size));
    strc_make_panels(&panels.how, panels.loops.data(), bytes.get(), array.bytes.get());
    impl.packed.push_back({symbol, bytes, size});
    return global;
}

}  // namespace strc::codegen
