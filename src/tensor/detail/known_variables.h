#pragma once
/// Values of variables that are known at a point of a body. Private to tensor.

#include <cstdint>
#include <map>
#include <utility>

#include "ir/ir.h"

namespace strc::tensor {

using types::Value;

/// Values of variables, by space and number.
struct KnownVariables {
    using Key = std::pair<int, std::uint32_t>;
    std::map<Key, Value> scalars;
    std::map<Key, Value> arrays;  ///< small ones, of ints
};

}  // namespace strc::tensor
