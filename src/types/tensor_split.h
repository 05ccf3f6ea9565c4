#pragma once
/// `--split`: products and convolutions in parts.

#include <cstdint>

namespace strc::types {

/// The fewest multiplications of a product that is divided.
constexpr std::int64_t kLeastSplit = std::int64_t{1} << 20;
/// Multiplications of one thread in a ns, for choosing parts and for telling what they bring.
constexpr double kProductsInNs = 50;

struct TensorSplit {
    /// In the place of a dimension: what is summed up; and whatever pays, with the number of parts in `places`.
    /// Or columns and then sums of pairs of products (opt/detail/pair_products.h).
    static constexpr std::int64_t kSums = -1, kAuto = -2, kPairs = -3;

    std::int64_t dim = 0;  ///< of the result
    std::int64_t places = 1;  ///< of a part
};

}  // namespace strc::types
