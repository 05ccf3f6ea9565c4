#include "eval/contract.h"

#include <type_traits>

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
Operands<T> moved(Operands<T> at, const ContractionLoop& loop) {
    for (std::size_t k = 0; k < at.added.size(); ++k) at.added[k] += loop.added[k];
    return {at.out + loop.out, at.a + loop.a, at.b + loop.b, at.added};
}

template <typename T>
T sum(std::span<const ContractionLoop> loops, Operands<T> at) {
    if (loops.empty()) return *at.a * *at.b;
    T total = 0;
    for (std::int32_t k = 0; k < loops[0].rounds; ++k) {
        total += sum(loops.subspan(1), at);
        at = moved(at, loops[0]);
    }
    return total;
}

/// What becomes of a sum before it is written.
template <typename T>
T finished(T total, const ir::Contraction& how, const Operands<T>& at) {
    for (std::size_t k = 0; k < how.addends; ++k) total += *at.added[k];
    if constexpr (std::is_floating_point_v<T>) {
        if (total < T(how.bounds.low)) return T(how.bounds.low);
        if (total > T(how.bounds.high)) return T(how.bounds.high);
    }
    return total;
}

template <typename T>
void forEachPlace(const ir::Contraction& how, std::span<const ContractionLoop> outer,
                  std::span<const ContractionLoop> inner, Operands<T> at) {
    if (outer.empty()) {
        *at.out = finished(sum(inner, at), how, at);
        return;
    }
    for (std::int32_t k = 0; k < outer[0].rounds; ++k) {
        forEachPlace(how, outer.subspan(1), inner, at);
        at = moved(at, outer[0]);
    }
}

template <typename T>
void contractAs(const ir::Contraction& how, std::byte* out, const std::byte* a, const std::byte* b,
                const Addends& addends) {
    std::vector<ContractionLoop> outer, inner;
    for (const ContractionLoop& loop : how.loops)
        (loop.out == 0 && loop.rounds > 1 ? inner : outer).push_back(loop);
    Operands<T> at{reinterpret_cast<T*>(out) + how.out,
                   reinterpret_cast<const T*>(a) + how.a,
                   reinterpret_cast<const T*>(b) + how.b,
                   {}};
    for (std::size_t k = 0; k < addends.size(); ++k)
        at.added[k] = reinterpret_cast<const T*>(addends[k]) + how.added[k];
    forEachPlace<T>(how, outer, inner, at);
}

}  // namespace

void contract(const Products& products, std::byte* out, const std::byte* a, const std::byte* b,
              const Addends& addends) {
    switch (products.element) {
        case types::TypeKind::Float: return contractAs<float>(products.how, out, a, b, addends);
        case types::TypeKind::Double: return contractAs<double>(products.how, out, a, b, addends);
        default: return contractAs<std::uint32_t>(products.how, out, a, b, addends);
    }
}

}  // namespace strc::eval
