#pragma once
/// Exact positive fractions: how often one node fires for each firing of another.

#include <cstdint>
#include <optional>

namespace strc::sched {

/// In lowest terms.
struct Ratio {
    std::int64_t num = 1;
    std::int64_t den = 1;
    bool operator==(const Ratio&) const = default;
    Ratio inverse() const { return {den, num}; }
};

/// num/den of positive numbers in lowest terms.
Ratio ratio(std::int64_t num, std::int64_t den);
/// Empty if a part of the product exceeds graph::kMaxCount.
std::optional<Ratio> multiply(Ratio, Ratio);
/// Least common multiple; empty if it exceeds graph::kMaxCount.
std::optional<std::int64_t> leastCommonMultiple(std::int64_t, std::int64_t);

}  // namespace strc::sched
