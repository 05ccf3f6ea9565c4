// Sums of products beside the plainest way to say them: place by place, loop by loop, with the same bits.

#include "eval/detail/contract.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace strc::eval {
namespace {

using ir::Contraction;
using ir::ContractionLoop;

template <typename T>
T plainSum(std::span<const ContractionLoop> loops, const T* a, const T* b) {
    if (loops.empty()) return *a * *b;
    T total = 0;
    for (std::int32_t k = 0; k < loops[0].trips; ++k)
        total += plainSum(loops.subspan(1), a + k * loops[0].a, b + k * loops[0].b);
    return total;
}

template <typename T>
void plainPlaces(const Contraction& how, std::span<const ContractionLoop> outer,
                 std::span<const ContractionLoop> inner, T* out, const T* a, const T* b,
                 const T* bias) {
    if (outer.empty()) {
        *out = plainSum(inner, a, b) + (how.addends ? *bias : T(0));
        if constexpr (std::is_floating_point_v<T>)
            *out = std::min(std::max(*out, T(how.bounds.low)), T(how.bounds.high));
        return;
    }
    const ContractionLoop& loop = outer[0];
    for (std::int32_t k = 0; k < loop.trips; ++k)
        plainPlaces(how, outer.subspan(1), inner, out + k * loop.out, a + k * loop.a,
                    b + k * loop.b, bias + k * loop.added[0]);
}

/// Up to three loops of the result and two of sums, their places in the operands in any order, some operand left out of some.
class RandomNest {
public:
    explicit RandomNest(unsigned seed) : random(seed) {}

    Contraction make() {
        Contraction how;
        const int places = upTo(3), sums = upTo(2);
        std::int32_t step = 1;
        for (int k = 0; k < places; ++k) {
            const std::int32_t trips = 1 + upTo(k == 0 ? 40 : 4);
            how.loops.push_back({trips, step, stepOf(), stepOf(), {upTo(1) * 3}});
            step *= trips;
        }
        for (int k = 0; k < sums; ++k)
            how.loops.push_back({2 + upTo(5), 0, stepOf(), stepOf(), {}});
        std::shuffle(how.loops.begin(), how.loops.begin() + places, random);
        how.a = upTo(3);
        how.addends = static_cast<std::size_t>(upTo(1));
        if (upTo(1)) how.bounds = {0, 6};
        return how;
    }

    template <typename T>
    std::vector<T> values() {
        std::vector<T> made(2000);
        for (T& each : made) each = static_cast<T>(upTo(1000)) / T(7);
        return made;
    }

private:
    int upTo(int most) { return std::uniform_int_distribution(0, most)(random); }
    std::int32_t stepOf() { return std::array{0, 1, 1, 3, 7}[static_cast<std::size_t>(upTo(4))]; }

    std::mt19937 random;
};

template <typename T>
void compare(types::TypeKind element) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        RandomNest nest(seed);
        const Contraction how = nest.make();
        const std::vector<T> a = nest.values<T>(), b = nest.values<T>(), bias = nest.values<T>();
        std::vector<T> got(1100), expected(1100);
        auto bytes = [](const std::vector<T>& of) {
            return reinterpret_cast<const std::byte*>(of.data());
        };
        contract({how, element}, reinterpret_cast<std::byte*>(got.data()), bytes(a), bytes(b),
                 {how.addends ? bytes(bias) : nullptr});
        std::vector<ContractionLoop> outer, inner;
        for (const ContractionLoop& loop : how.loops) (loop.out ? outer : inner).push_back(loop);
        plainPlaces<T>(how, outer, inner, expected.data(), a.data() + how.a, b.data(), bias.data());
        ASSERT_EQ(got, expected) << "seed " << seed;
    }
}

TEST(Contract, FloatsAsPlaceByPlace) { compare<float>(types::TypeKind::Float); }
TEST(Contract, DoublesAsPlaceByPlace) { compare<double>(types::TypeKind::Double); }
TEST(Contract, IntsAsPlaceByPlace) { compare<std::uint32_t>(types::TypeKind::Int); }

}  // namespace
}  // namespace strc::eval
