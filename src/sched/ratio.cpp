#include "sched/detail/ratio.h"

#include <numeric>

#include "base/assert.h"
#include "graph/flow.h"

namespace strc::sched {

Ratio ratio(std::int64_t num, std::int64_t den) {
    STRC_ASSERT(num > 0 && den > 0, "ratio of numbers that are not positive");
    const std::int64_t common = std::gcd(num, den);
    return {num / common, den / common};
}

std::optional<Ratio> multiply(Ratio a, Ratio b) {
    const std::int64_t left = std::gcd(a.num, b.den);
    const std::int64_t right = std::gcd(b.num, a.den);
    const std::int64_t num = graph::multiplyCounts(a.num / left, b.num / right);
    const std::int64_t den = graph::multiplyCounts(a.den / right, b.den / left);
    if (num >= graph::kMaxCount || den >= graph::kMaxCount) return std::nullopt;
    return Ratio{num, den};
}

std::optional<std::int64_t> leastCommonMultiple(std::int64_t a, std::int64_t b) {
    const std::int64_t value = graph::multiplyCounts(a / std::gcd(a, b), b);
    if (value >= graph::kMaxCount) return std::nullopt;
    return value;
}

}  // namespace strc::sched
