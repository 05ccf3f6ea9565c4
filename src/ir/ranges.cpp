#include "ir/ranges.h"

#include <algorithm>
#include <bit>

namespace strc::ir {
namespace {

using types::TypeKind;

constexpr Range kAll;

/// The interval, or that of all ints if it does not fit, since arithmetic wraps.
Range fitting(std::int64_t min, std::int64_t max) {
    return isWithin({min, max}, kAll) ? Range{min, max} : kAll;
}

Range product(Range a, Range b) {
    const auto [min, max] =
        std::minmax({a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max});
    return fitting(min, max);
}

/// Toward zero; the divisor does not pass zero.
Range quotient(Range a, Range b) {
    if (b.min <= 0 && b.max >= 0) return kAll;
    const auto [min, max] =
        std::minmax({a.min / b.min, a.min / b.max, a.max / b.min, a.max / b.max});
    return fitting(min, max);
}

/// The sign of the dividend.
Range remainder(Range a, Range b) {
    if (b.min <= 0 && b.max >= 0) return kAll;
    const std::int64_t most = std::max(std::abs(b.min), std::abs(b.max)) - 1;
    if (a.min >= 0 && a.max <= most && b.min > a.max) return a;
    return {a.min >= 0 ? 0 : std::max(-most, a.min), a.max <= 0 ? 0 : std::min(most, a.max)};
}

/// Bits that a number up to `most` can have.
std::int64_t bitsOf(std::int64_t most) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(most) + 1)) - 1;
}

Range bits(Op op, Range a, Range b) {
    if (op == Op::And) {
        if (a.min >= 0 && b.min >= 0) return {0, std::min(a.max, b.max)};
        if (a.min >= 0) return {0, a.max};
        return b.min >= 0 ? Range{0, b.max} : kAll;
    }
    if (a.min < 0 || b.min < 0) return kAll;
    return {0, bitsOf(std::max(a.max, b.max))};
}

Range shifted(Op op, Range a, Range by) {
    if (by.min != by.max) {
        const bool shrinks = op == Op::Shr;
        return shrinks ? Range{std::min<std::int64_t>(a.min, 0), std::max<std::int64_t>(a.max, 0)}
                       : kAll;
    }
    const std::int64_t places = by.min & 31;
    if (op == Op::Shr) return {a.min >> places, a.max >> places};
    return product(a, {std::int64_t{1} << places, std::int64_t{1} << places});
}

Range converted(const Type* from, Range operand) {
    if (!from) return kAll;
    switch (from->kind) {
        case TypeKind::Bit:
        case TypeKind::Boolean: return {0, 1};
        case TypeKind::Int: return operand;
        case TypeKind::Int8: return {-128, 127};
        default: return kAll;
    }
}

}  // namespace

Range join(Range a, Range b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

bool isWithin(Range inner, Range outer) { return inner.min >= outer.min && inner.max <= outer.max; }

Range widen(Range old, Range next, const std::vector<std::int64_t>& thresholds) {
    Range made = join(old, next);
    if (next.max > old.max) {
        auto found = std::lower_bound(thresholds.begin(), thresholds.end(), made.max);
        made.max = found == thresholds.end() ? kAll.max : std::min(*found, kAll.max);
    }
    if (next.min < old.min) {
        auto found = std::upper_bound(thresholds.begin(), thresholds.end(), made.min);
        made.min = found == thresholds.begin() ? kAll.min : std::max(*std::prev(found), kAll.min);
    }
    return made;
}

bool isComparison(Op op) {
    switch (op) {
        case Op::Eq:
        case Op::Ne:
        case Op::Lt:
        case Op::Le:
        case Op::Gt:
        case Op::Ge: return true;
        default: return false;
    }
}

std::pair<Range, Range> assumed(Op op, bool holds, Range a, Range b) {
    auto less = [](Range low, Range high, std::int64_t by) {
        return std::pair{Range{low.min, std::min(low.max, high.max - by)},
                         Range{std::max(high.min, low.min + by), high.max}};
    };
    auto swapped = [](std::pair<Range, Range> pair) { return std::pair{pair.second, pair.first}; };
    switch (op) {
        case Op::Lt: return holds ? less(a, b, 1) : swapped(less(b, a, 0));
        case Op::Le: return holds ? less(a, b, 0) : swapped(less(b, a, 1));
        case Op::Gt: return assumed(Op::Le, !holds, a, b);
        case Op::Ge: return assumed(Op::Lt, !holds, a, b);
        case Op::Ne: return assumed(Op::Eq, !holds, a, b);
        case Op::Eq: break;
        default: return {a, b};
    }
    if (holds) {
        const Range both{std::max(a.min, b.min), std::min(a.max, b.max)};
        return {both, both};
    }
    auto without = [](Range range, Range other) {
        if (other.min != other.max) return range;
        if (range.min == other.min) ++range.min;
        if (range.max == other.min) --range.max;
        return range;
    };
    return {without(a, b), without(b, a)};
}

Range rangeOf(const Instr& instr, std::span<const Range> operands, const Type* from) {
    const Range a = operands[0], b = operands[1];
    switch (instr.op) {
        case Op::Add: return fitting(a.min + b.min, a.max + b.max);
        case Op::Sub: return fitting(a.min - b.max, a.max - b.min);
        case Op::Mul: return product(a, b);
        case Op::Div: return quotient(a, b);
        case Op::Rem: return remainder(a, b);
        case Op::Neg: return fitting(-a.max, -a.min);
        case Op::And:
        case Op::Or:
        case Op::Xor: return bits(instr.op, a, b);
        case Op::Not: return {-a.max - 1, -a.min - 1};
        case Op::Shl:
        case Op::Shr: return shifted(instr.op, a, b);
        case Op::Convert: return converted(from, a);
        case Op::Math:
            if (instr.math == types::MathFn::Min)
                return {std::min(a.min, b.min), std::min(a.max, b.max)};
            if (instr.math == types::MathFn::Max)
                return {std::max(a.min, b.min), std::max(a.max, b.max)};
            if (instr.math == types::MathFn::Abs && a.min > kAll.min)
                return {a.min > 0 ? a.min : a.max < 0 ? -a.max : 0, std::max(-a.min, a.max)};
            return kAll;
        default: return kAll;
    }
}

}  // namespace strc::ir
