#pragma once
/// Numbers of `long`, which only tensors have.

#include <cstdint>

namespace strc::types {

/// As types::toInt: truncates toward zero; NaN gives 0; out of range saturates.
inline std::int64_t toLong(double value) {
    constexpr double end = 9223372036854775808.0;
    if (value != value) return 0;
    if (value >= end) return INT64_MAX;
    if (value < -end) return INT64_MIN;
    return static_cast<std::int64_t>(value);
}

}  // namespace strc::types
