#include "eval/contract.h"

namespace strc::eval {
namespace {

using ir::ContractionLoop;

template <typename T>
struct Operands {
    T* out;
    const T* a;
    const T* b;
};

template <typename T>
Operands<T> moved(Operands<T> at, const ContractionLoop& loop) {
    return {at.out + loop.out, at.a + loop.a, at.b + loop.b};
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

template <typename T>
void forEachPlace(std::span<const ContractionLoop> outer, std::span<const ContractionLoop> inner,
                  Operands<T> at) {
    if (outer.empty()) {
        *at.out = sum(inner, at);
        return;
    }
    for (std::int32_t k = 0; k < outer[0].rounds; ++k) {
        forEachPlace(outer.subspan(1), inner, at);
        at = moved(at, outer[0]);
    }
}

template <typename T>
void contractAs(const ir::Contraction& how, std::byte* out, const std::byte* a,
                const std::byte* b) {
    std::vector<ContractionLoop> outer, inner;
    for (const ContractionLoop& loop : how.loops)
        (loop.out == 0 && loop.rounds > 1 ? inner : outer).push_back(loop);
    forEachPlace<T>(outer, inner,
                    {reinterpret_cast<T*>(out) + how.out, reinterpret_cast<const T*>(a) + how.a,
                     reinterpret_cast<const T*>(b) + how.b});
}

}  // namespace

void contract(const Products& products, std::byte* out, const std::byte* a, const std::byte* b) {
    switch (products.element) {
        case types::TypeKind::Float: return contractAs<float>(products.how, out, a, b);
        case types::TypeKind::Double: return contractAs<double>(products.how, out, a, b);
        default: return contractAs<std::uint32_t>(products.how, out, a, b);
    }
}

}  // namespace strc::eval
