#include "eval/detail/contract.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "types/short_floats.h"
#include "types/tensor_elements.h"

namespace strc::eval {
namespace {

using ir::ContractionLoop;
using Addends = std::array<const std::byte*, ir::kMostAddends>;

template <typename T>
struct Operands {
    T* out;
    const T* a;
    const T* b;
    std::array<const T*, ir::kMostAddends> added;
};

template <typename T>
Operands<T> moved(Operands<T> at, const ContractionLoop& loop, std::ptrdiff_t trips = 1) {
    for (std::size_t k = 0; k < at.added.size(); ++k) at.added[k] += trips * loop.added[k];
    return {at.out + trips * loop.out, at.a + trips * loop.a, at.b + trips * loop.b, at.added};
}

/// How the places of a row find their factors. Vector: they share those of a, and those of b lie side by side. Strided:
/// those of b have a step.
enum class RowKind : std::uint8_t { Vector, Strided, Any };

/// Sums of places side by side, each in the order of the loops.
template <typename T, std::size_t places, RowKind kind>
std::array<T, places> sums(std::span<const ContractionLoop> loops, const ContractionLoop& row,
                           const T* a, const T* b) {
    std::array<T, places> total{};
    auto add = [&](const T* left, const T* right) {
        for (std::size_t k = 0; k < places; ++k) {
            total[k] += *left * *right;
            if constexpr (kind == RowKind::Any) left += row.a;
            right += kind == RowKind::Vector ? 1 : row.b;
        }
    };
    if (loops.empty()) {
        add(a, b);
        return total;
    }
    const ContractionLoop& loop = loops[0];
    for (std::int32_t iteration = 0; iteration < loop.trips;
         ++iteration, a += loop.a, b += loop.b) {
        if (loops.size() == 1) {
            add(a, b);
            continue;
        }
        const std::array<T, places> part = sums<T, places, kind>(loops.subspan(1), row, a, b);
        for (std::size_t k = 0; k < places; ++k) total[k] += part[k];
    }
    return total;
}

/// Applies the epilogue to a sum.
template <typename T>
T finished(T total, const ir::Contraction& how, const Operands<T>& at) {
    for (std::size_t k = 0; k < how.addends; ++k) total += *at.added[k];
    if constexpr (std::is_floating_point_v<T>) {
        if (total < T(how.bounds.low)) return T(how.bounds.low);
        if (total > T(how.bounds.high)) return T(how.bounds.high);
    }
    return total;
}

/// The loops of the result but one, that one, and those of the sums.
struct Nest {
    std::vector<ContractionLoop> outer, inner;
    ContractionLoop row{1, 0, 0, 0};
};

template <typename T, std::size_t places, RowKind kind>
void writePlaces(const ir::Contraction& how, const Nest& nest, Operands<T> at) {
    const std::array<T, places> totals = sums<T, places, kind>(nest.inner, nest.row, at.a, at.b);
    for (T total : totals) {
        *at.out = finished(total, how, at);
        at = moved(at, nest.row);
    }
}

template <typename T, RowKind kind>
void writeRow(const ir::Contraction& how, const Nest& nest, Operands<T> at) {
    constexpr std::int32_t kPlaces = 16;
    std::int32_t left = nest.row.trips;
    for (; left >= kPlaces; left -= kPlaces) {
        writePlaces<T, kPlaces, kind>(how, nest, at);
        at = moved(at, nest.row, kPlaces);
    }
    for (; left > 0; --left) {
        writePlaces<T, 1, kind>(how, nest, at);
        at = moved(at, nest.row);
    }
}

template <typename T>
void forEachRow(const ir::Contraction& how, const Nest& nest,
                std::span<const ContractionLoop> outer, Operands<T> at) {
    if (outer.empty()) {
        if (nest.row.a != 0) return writeRow<T, RowKind::Any>(how, nest, at);
        if (nest.row.b != 1) return writeRow<T, RowKind::Strided>(how, nest, at);
        return writeRow<T, RowKind::Vector>(how, nest, at);
    }
    for (std::int32_t k = 0; k < outer[0].trips; ++k) {
        forEachRow(how, nest, outer.subspan(1), at);
        at = moved(at, outer[0]);
    }
}

/// The longest loop that shares one operand and goes through the other one element after the other; else one that shares
/// one, else any.
std::size_t rowOf(const std::vector<ContractionLoop>& outer) {
    auto rank = [](const ContractionLoop& loop) {
        const bool shares = loop.a == 0 || loop.b == 0;
        return std::tuple(shares && loop.a + loop.b == 1, shares, loop.trips);
    };
    return static_cast<std::size_t>(std::ranges::max_element(outer, {}, rank) - outer.begin());
}

Nest nestOf(const ir::Contraction& how) {
    Nest nest;
    for (const ContractionLoop& loop : how.loops)
        (loop.out == 0 && loop.trips > 1 ? nest.inner : nest.outer).push_back(loop);
    if (nest.outer.empty()) return nest;
    const auto row = nest.outer.begin() + static_cast<std::ptrdiff_t>(rowOf(nest.outer));
    nest.row = *row;
    nest.outer.erase(row);
    return nest;
}

void swapFactors(Nest& nest) {
    std::swap(nest.row.a, nest.row.b);
    for (std::vector<ContractionLoop>* loops : {&nest.outer, &nest.inner})
        for (ContractionLoop& loop : *loops) std::swap(loop.a, loop.b);
}

/// Elements of an operand as numbers that sums have: they lie so already, or are made of narrow ones.
template <typename T>
class Factor {
public:
    /// The places that loops reach from `first` on, each by its own step.
    Factor(const std::byte* bytes, types::TypeKind kind, std::int32_t first,
           const std::vector<ContractionLoop>& loops, std::int32_t ContractionLoop::* step) {
        if (!types::isNarrow(kind)) {
            begin = reinterpret_cast<const T*>(bytes) + first;
            return;
        }
        std::int64_t low = first, high = first;
        for (const ContractionLoop& loop : loops) {
            const std::int64_t reach = std::int64_t{loop.*step} * (loop.trips - 1);
            (reach < 0 ? low : high) += reach;
        }
        for (std::int64_t at = low; at <= high; ++at) made.push_back(elementAt(bytes, kind, at));
        begin = made.data() + (first - low);
    }
    const T* get() const { return begin; }

private:
    static T elementAt(const std::byte* bytes, types::TypeKind kind, std::int64_t at) {
        if (kind == types::TypeKind::Int8)
            return static_cast<T>(
                static_cast<std::int32_t>(reinterpret_cast<const std::int8_t*>(bytes)[at]));
        std::uint16_t bits = 0;
        std::memcpy(&bits, bytes + 2 * at, sizeof bits);
        return static_cast<T>(kind == types::TypeKind::Half ? types::ofHalf(bits)
                                                            : types::ofBFloat16(bits));
    }

    std::vector<T> made;
    const T* begin = nullptr;
};

template <typename T>
void contractAs(const Products& products, std::byte* out, const std::byte* a, const std::byte* b,
                const Addends& addends) {
    const ir::Contraction& how = products.how;
    const Factor<T> left(a, products.a, how.a, how.loops, &ContractionLoop::a);
    const Factor<T> right(b, products.b, how.b, how.loops, &ContractionLoop::b);
    Nest nest = nestOf(how);
    Operands<T> at{reinterpret_cast<T*>(out) + how.out, left.get(), right.get(), {}};
    for (std::size_t k = 0; k < addends.size(); ++k)
        at.added[k] = reinterpret_cast<const T*>(addends[k]) + how.added[k];
    if (nest.row.b == 0) {
        swapFactors(nest);
        std::swap(at.a, at.b);
    }
    forEachRow<T>(how, nest, nest.outer, at);
}

}  // namespace

void contract(const Products& products, std::byte* out, const std::byte* a, const std::byte* b,
              const Addends& addends) {
    switch (products.element) {
        case types::TypeKind::Float: return contractAs<float>(products, out, a, b, addends);
        case types::TypeKind::Double: return contractAs<double>(products, out, a, b, addends);
        default: return contractAs<std::uint32_t>(products, out, a, b, addends);
    }
}

}  // namespace strc::eval
