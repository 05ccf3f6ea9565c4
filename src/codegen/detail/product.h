#pragma once
/// How a contraction is done as a product of matrices in tiles of registers: a decision about numbers alone.
///
/// One operand gives *scalars*, one for each row of a tile, the other one *vectors* along the columns, which are
/// places that lie beside each other in the result. A tile is as many rows times vectors as the registers hold; it
/// is summed up as a whole, so the result is written once. Where vectors come from: Direct, as they lie;
/// Stored, from panels that were packed before the program runs, since nobody ever writes the operand; Packed, from
/// panels that are made of a block of columns before its tiles are done. A panel has the columns of a tile, sum by
/// sum (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", TOMS 2008).
///
/// Where both operands move along the columns (a convolution of each channel alone, channels last), a row has a vector in
/// place of a scalar.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/contraction.h"
#include "target/model.h"

namespace strc::codegen {

/// Product::scratchBytes, at most.
constexpr std::int64_t kMostPacked = 1280 * 1024;

enum class VectorSource : std::uint8_t { Direct, Stored, Packed };

struct Product {
    /// Operand `a` gives the scalars: where it did not, the operands have changed places.
    bool isSwapped = false;
    std::int64_t firstOut = 0, firstA = 0, firstB = 0;
    /// The epilogue. Along the columns an addend stands still, or moves as the result does.
    std::size_t addends = 0;
    std::array<std::int32_t, ir::kMostAddends> firstAdded = {};
    ir::Bounds bounds;
    std::vector<ir::ContractionLoop> outer;
    /// More loops of rows, which leave the vectors where they are: each panel is for all of them.
    std::vector<ir::ContractionLoop> lines;
    ir::ContractionLoop rows{1, 0, 0, 0};
    bool areRowsVectors = false;  ///< `a` moves along the columns as the result does
    /// Panels: all of them are done for a tile of rows, and then for the next; else all rows for a panel.
    bool rowsOutside = false;
    /// The tiles of a panel fetch the next one into the second cache meanwhile (the pass `prefetch-panels`).
    bool fetchesPanels = false;
    /// Outermost first. Direct: one or two, the last one along vectors; else as many as follow each other in the result.
    std::vector<ir::ContractionLoop> columns;
    /// Never empty. Panels have them in this order.
    std::vector<ir::ContractionLoop> sums;
    VectorSource source = VectorSource::Direct;
    std::int64_t lanes = 1;  ///< of a vector
    std::int64_t vectors = 1;  ///< of a tile
    std::int64_t height = 1;  ///< of the highest tiles: all are that, or one less
    std::int64_t block =
        1;  ///< Packed: iterations of the first column loop that are packed together
    /// Sums of each place, to which the iterations of the innermost loop of sums go in turn; 0: each tile decides.
    std::int64_t parts = 0;
    /// So many iterations of a sum of int8 are one, whose factors are words of as many bytes: an instruction of the processor adds
    /// all of their products (target::Model::dots). Steps of a count words, those of b bytes.
    std::int64_t word = 1;
    std::int64_t wordStep = 0;  ///< from byte to byte of a word, in elements of b
    /// All words of rows are prepared for that instruction before the tiles, once for all panels.
    bool preparesRows = false;
    double cycles = 0;  ///< about

    std::int64_t countSums() const;
    std::int64_t countColumns() const;
    std::int64_t countTilesOfRows() const;  ///< for each panel
    /// The words of a from the first one to the last one that rows have, from its beginning on.
    struct Words {
        std::int64_t first = 0, count = 0;
    };
    Words wordsOfRows() const;
    /// Stored panels go by that are worth it: each of them is for several tiles.
    bool canFetchPanels() const;
    /// Elements in panels of so many columns.
    std::int64_t packedElements(std::int64_t columnCount) const;
    /// Packed: for a block, and behind its panels a line of its columns; vectors are written as a whole.
    std::int64_t scratchBytes(std::int64_t elementBytes) const;
    /// For rows that are prepared.
    std::int64_t preparedBytes() const;
};

/// `canStore`: whether the operands a and b are known now and will never be written. None: it is no product of
/// matrices, or too small to be worth it.
std::optional<Product> productOf(const ir::Contraction&, std::int64_t elementBytes,
                                 const target::Model&, bool canStoreA, bool canStoreB);

/// The same of int8 with sums of int, in words. None: the processor has no such instruction, sums are too short, or nobody knows the
/// operand that gives the vectors.
std::optional<Product> dotProductOf(const ir::Contraction&, const target::Model&, bool canStoreA,
                                    bool canStoreB);

/// Sets its parts: then all places are summed up in one order, which others can follow.
void fixParts(Product&);

/// One line.
std::string print(const Product&);

}  // namespace strc::codegen
