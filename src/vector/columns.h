#pragma once
/// How the items of several firings lie for vectors. A window that moves by several items is transposed: in column c stands item
/// c, c + pop, c + 2 pop, … of it, so that what lanes read together lies together. What lanes push is in rows likewise, one for
/// each item of a firing.

#include <cstdint>

#include "graph/graph.h"
#include "types/type.h"

namespace strc::vector {

/// The largest stride that one load and a shuffle read.
constexpr std::int64_t kShuffled = 4;

/// Are windows of these rates transposed before the firings of lanes?
bool usesColumns(const graph::Rates&);
/// Items that so many firings look at together.
std::int64_t windowOf(const graph::Rates&, std::int64_t lanes);
/// Items of a column.
std::int64_t columnLength(const graph::Rates&, std::int64_t lanes);
/// Items of all columns, the last rows filled up.
std::int64_t columnItems(const graph::Rates&, std::int64_t lanes);

/// Of what columns and rows are made. Real and imaginary parts of complex items may have columns of their own, which is worth
/// it where several filters take them.
struct ItemParts {
    bool partsComplex = false;

    std::int64_t countOf(const types::Type* item) const {
        return partsComplex && item->is(types::TypeKind::Complex) ? 2 : 1;
    }
    const types::Type* typeOf(types::TypeTable& types, const types::Type* item) const {
        return countOf(item) == 2 ? types.floatType() : item;
    }
};

}  // namespace strc::vector
