#pragma once
/// Functions for several firings at once, and how their items lie.

#include <compare>
#include <cstdint>

#include "types/type.h"

namespace strc::codegen {

/// Firings in vectors, with the turning of their windows; without; that alone. Soa: they take columns and leave
/// columns; TransposeBack: transposes these back, from `in` to `out`. Horizontal: one of each (elab::HorizontalFusion).
enum class VectorVariant : std::uint8_t {
    Whole,
    Transposed,
    Transpose,
    Soa,
    TransposeBack,
    Horizontal
};

struct VariantShape {
    VectorVariant which = VectorVariant::Whole;
    unsigned width = 0;  ///< firings, or fused filters, at once
    unsigned repeat = 1;  ///< Transpose and TransposeBack: firings of each lane
    /// Items from one column to the next, of the input and of the output; 0: the columns lie one behind the other.
    std::int64_t inLength = 0, outLength = 0;
    /// Have real and imaginary parts of complex items columns of their own? Worth it where several filters take them.
    bool partsComplex = false;
    auto operator<=>(const VariantShape&) const = default;
};

/// Of what columns and rows are made.
struct ItemParts {
    bool partsComplex = false;  ///< VariantShape::partsComplex

    std::uint64_t countOf(const types::Type* item) const {
        return partsComplex && item->is(types::TypeKind::Complex) ? 2 : 1;
    }
    const types::Type* typeOf(const types::Type* item) const;
};

}  // namespace strc::codegen
