#pragma once
/// `--split`: products and convolutions in parts.

#include <cstdint>

namespace strc::types {

struct TensorSplit {
    /// In the place of a dimension: what is summed up; and whatever pays, with the number of parts in `places`.
    static constexpr std::int64_t kSums = -1, kAuto = -2;

    std::int64_t dim = 0;  ///< of the result
    std::int64_t places = 1;  ///< of a part
};

}  // namespace strc::types
