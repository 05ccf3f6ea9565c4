#pragma once
/// How a tensor lies in memory, as native functions are told (strc/dlpack.h).

#include <cstdint>
#include <vector>

#include "types/type.h"

namespace strc::types {

struct TensorLayout {
    std::uint8_t code = 0;  ///< a DLDataTypeCode
    std::uint8_t bits = 0;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;  ///< in elements
};

/// The layout of a concrete tensor.
TensorLayout layoutOf(const Type* tensor);

}  // namespace strc::types
