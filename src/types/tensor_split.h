#pragma once
/// `--split DIM:PLACES`: products and convolutions by hand in parts.

#include <cstdint>

namespace strc::types {

struct TensorSplit {
    std::int64_t dim = 0;  ///< of the result
    std::int64_t places = 1;  ///< of a part
};

}  // namespace strc::types
