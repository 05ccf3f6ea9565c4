// Contractions as operators that libraries take: what they are, and that it means the same.

#include "operators/operator.h"

#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strc::testing {
namespace {

using ir::Contraction;
using ir::ContractionLoop;
using operators::Operator;
using operators::OperatorKind;
using operators::View;

using Numbers = std::vector<std::int64_t>;

/// Calls with all places of a box.
template <typename Body>
void forAll(const Numbers& extents, Body&& body) {
    Numbers at(extents.size(), 0);
    for (;;) {
        body(at);
        std::size_t k = at.size();
        while (k > 0 && ++at[k - 1] == extents[k - 1]) at[--k] = 0;
        if (k == 0) return;
    }
}

std::size_t place(const View& view, const Numbers& at) {
    std::int64_t to = view.first;
    for (std::size_t k = 0; k < at.size(); ++k)
        if (view.extents[k] > 1) to += at[k] * view.steps[k];
    return static_cast<std::size_t>(to);
}

/// The definition: sums over all rounds, exact in integers.
Numbers byLoops(const Contraction& how, const Numbers& a, const Numbers& b, std::size_t size) {
    Numbers out(size, 0);
    Numbers trips;
    for (const ContractionLoop& loop : how.loops) trips.push_back(loop.trips);
    forAll(trips, [&](const Numbers& at) {
        std::int64_t to = how.out, x = how.a, y = how.b;
        for (std::size_t k = 0; k < at.size(); ++k) {
            to += at[k] * how.loops[k].out;
            x += at[k] * how.loops[k].a;
            y += at[k] * how.loops[k].b;
        }
        out[static_cast<std::size_t>(to)] +=
            a[static_cast<std::size_t>(x)] * b[static_cast<std::size_t>(y)];
    });
    return out;
}

void matmul(const Operator& what, const Numbers& source, const Numbers& weights, Numbers& out) {
    const std::size_t rank = what.result.extents.size();
    forAll(what.result.extents, [&](const Numbers& at) {
        for (std::int64_t k = 0; k < what.source.extents[rank - 1]; ++k) {
            Numbers left = at, right = at;
            left[rank - 1] = k;
            right[rank - 2] = k;
            out[place(what.result, at)] +=
                source[place(what.source, left)] * weights[place(what.weights, right)];
        }
    });
}

void convolution(const Operator& what, const Numbers& source, const Numbers& weights,
                 Numbers& out) {
    const std::size_t first = what.hasGroups() ? 1 : 0;
    const std::int64_t outputs = what.weights.extents[first];
    const std::int64_t inputs = what.weights.extents[first + 1];
    Numbers window(what.weights.extents.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                   what.weights.extents.end());
    forAll(what.result.extents, [&](const Numbers& at) {
        const std::int64_t group = at[1] / outputs;
        forAll(window, [&](const Numbers& tap) {
            Numbers from{at[0], group * inputs + tap[0]}, weight;
            if (what.hasGroups()) weight.push_back(group);
            weight.push_back(at[1] % outputs);
            weight.push_back(tap[0]);
            for (std::size_t k = 0; k < what.strides.size(); ++k) {
                from.push_back(at[k + 2] * what.strides[k] + tap[k + 1] * what.dilations[k]);
                weight.push_back(tap[k + 1]);
            }
            out[place(what.result, at)] +=
                source[place(what.source, from)] * weights[place(what.weights, weight)];
        });
    });
}

/// The operator that was found gives what the loops give.
void expectSame(const Contraction& how, const Operator& what) {
    Numbers ends{how.out + 1, how.a + 1, how.b + 1};
    for (const ContractionLoop& loop : how.loops) {
        ends[0] += std::int64_t{loop.trips - 1} * loop.out;
        ends[1] += std::int64_t{loop.trips - 1} * loop.a;
        ends[2] += std::int64_t{loop.trips - 1} * loop.b;
    }
    Numbers a(static_cast<std::size_t>(ends[1])), b(static_cast<std::size_t>(ends[2]));
    std::iota(a.begin(), a.end(), 1);
    std::iota(b.begin(), b.end(), 7);
    const auto size = static_cast<std::size_t>(ends[0]);
    Numbers out(size, 0);
    const Numbers &source = what.isSwapped ? b : a, &weights = what.isSwapped ? a : b;
    (what.kind == OperatorKind::Matmul ? matmul : convolution)(what, source, weights, out);
    EXPECT_EQ(out, byLoops(how, a, b, size)) << operators::print(what);
}

std::string found(const Contraction& how, bool storedA = false, bool storedB = true) {
    const auto what = operators::operatorOf(how, storedA, storedB);
    if (!what) return "nothing";
    expectSame(how, *what);
    return operators::print(*what) + (what->isSwapped ? ", swapped" : "");
}

TEST(OperatorsTest, Products) {
    EXPECT_EQ(found({0, 0, 0, {{8, 5, 7, 0}, {5, 1, 0, 7}, {7, 0, 1, 1}}}), "matmul 8x7 7x5");
    EXPECT_EQ(found({0, 0, 0, {{1, 5, 7, 0}, {5, 1, 0, 7}, {7, 0, 1, 1}}}), "matmul 1x7 7x5");
    // Loops that are as good as one.
    EXPECT_EQ(found({0, 0, 0, {{2, 20, 28, 0}, {4, 5, 7, 0}, {5, 1, 0, 7}, {7, 0, 1, 1}}}),
              "matmul 8x7 7x5");
    // The columns are those of a.
    EXPECT_EQ(found({0, 0, 0, {{5, 6, 0, 4}, {6, 1, 1, 0}, {4, 0, 6, 1}}}),
              "matmul 5x4 4x6, swapped");
    EXPECT_EQ(found({2, 3, 1, {{9, 1, 4, 0}, {4, 0, 1, 1}}}, true, false),
              "matmul 1x4 4x9, swapped");
    // With a batch, and with one that only one operand has.
    EXPECT_EQ(found({0, 0, 0, {{3, 10, 8, 20}, {2, 5, 4, 0}, {5, 1, 0, 4}, {4, 0, 1, 1}}}),
              "matmul 3x2x4 3x4x5");
    EXPECT_EQ(found({0, 0, 0, {{3, 10, 8, 0}, {2, 5, 4, 0}, {5, 1, 0, 4}, {4, 0, 1, 1}}}),
              "matmul 6x4 4x5");
    EXPECT_EQ(found({0, 0, 0, {{3, 12, 8, 0}, {2, 5, 4, 0}, {5, 1, 0, 4}, {4, 0, 1, 1}}}),
              "matmul 2x3x4 1x4x5");
}

TEST(OperatorsTest, NoProducts) {
    EXPECT_EQ(found({0, 0, 0, {{7, 0, 1, 1}}}), "nothing") << "one number";
    EXPECT_EQ(found({0, 0, 0, {{4, 5, 1, 0}, {5, 1, 0, 1}}}), "nothing") << "nothing is summed";
    EXPECT_EQ(found({0, 7, 0, {{8, 5, 0, 7}, {5, 1, 0, 0}, {7, 0, 1, 1}}}), "nothing")
        << "a loop writes the same again";
    EXPECT_EQ(found({0, 6, 0, {{8, 5, 7, 0}, {5, 1, 0, 7}, {7, 0, -1, 1}}}), "nothing")
        << "it goes backwards";
}

struct Convolution {
    std::int32_t images = 1, groups = 1, inputs = 1, outputs = 1;
    std::vector<std::int32_t> size, taps, strides, dilations;

    /// As `conv` makes it: dense arrays, padded before.
    Contraction loops() const {
        Contraction how;
        std::vector<std::int32_t> made;
        for (std::size_t k = 0; k < size.size(); ++k)
            made.push_back((size[k] - (taps[k] - 1) * dilations[k] - 1) / strides[k] + 1);
        auto product = [](const std::vector<std::int32_t>& all, std::size_t from) {
            return std::accumulate(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(), 1,
                                   std::multiplies<>());
        };
        const std::int32_t in = product(size, 0), out = product(made, 0), window = product(taps, 0);
        how.loops.push_back({images, groups * outputs * out, groups * inputs * in, 0});
        how.loops.push_back({groups, outputs * out, inputs * in, outputs * inputs * window});
        how.loops.push_back({outputs, out, 0, inputs * window});
        for (std::size_t k = 0; k < size.size(); ++k)
            how.loops.push_back(
                {made[k], product(made, k + 1), product(size, k + 1) * strides[k], 0});
        how.loops.push_back({inputs, 0, in, window});
        for (std::size_t k = 0; k < size.size(); ++k)
            how.loops.push_back(
                {taps[k], 0, product(size, k + 1) * dilations[k], product(taps, k + 1)});
        for (std::size_t k = 0; k < size.size(); ++k)
            how.windows.push_back({3 + k, 4 + size.size() + k, product(size, k + 1)});
        ir::dropSingleLoops(how);
        return how;
    }
};

TEST(OperatorsTest, Convolutions) {
    EXPECT_EQ(found(Convolution{1, 1, 3, 4, {9, 8}, {3, 3}, {1, 1}, {1, 1}}.loops()),
              "convolution 1x3x9x8 4x3x3x3, strides 1 1, dilations 1 1");
    EXPECT_EQ(found(Convolution{2, 1, 3, 4, {9, 9}, {3, 3}, {2, 2}, {1, 1}}.loops()),
              "convolution 2x3x9x9 4x3x3x3, strides 2 2, dilations 1 1");
    EXPECT_EQ(found(Convolution{2, 1, 3, 4, {12}, {3}, {1}, {3}}.loops()),
              "convolution 2x3x12 4x3x3, strides 1, dilations 3");
    EXPECT_EQ(found(Convolution{2, 6, 1, 1, {8, 8}, {3, 3}, {1, 1}, {1, 1}}.loops()),
              "convolution 2x6x8x8 6x1x1x3x3, strides 1 1, dilations 1 1");
    EXPECT_EQ(found(Convolution{1, 2, 3, 4, {5, 6, 7}, {2, 3, 2}, {1, 1, 1}, {1, 1, 1}}.loops()),
              "convolution 1x6x5x6x7 2x4x3x2x3x2, strides 1 1 1, dilations 1 1 1");
    // Strides and dilations with a factor in common.
    EXPECT_EQ(found(Convolution{1, 1, 3, 4, {8, 5, 8}, {2, 2, 2}, {3, 2, 1}, {2, 2, 1}}.loops()),
              "convolution 1x3x6x5x8 4x3x2x2x2, strides 3 2 1, dilations 2 2 1");
    // Windows of one place are products of matrices.
    EXPECT_EQ(found(Convolution{1, 1, 3, 4, {6, 5}, {1, 1}, {1, 1}, {1, 1}}.loops()),
              "matmul 4x3 3x30, swapped");
}

TEST(OperatorsTest, AnyConvolutionMeansTheSame) {
    std::mt19937 random(4);
    auto from = [&](std::int32_t low, std::int32_t high) {
        return std::uniform_int_distribution<std::int32_t>(low, high)(random);
    };
    for (int round = 0; round < 300; ++round) {
        Convolution made{from(1, 2), from(1, 2), from(1, 3), from(1, 3), {}, {}, {}, {}};
        const std::int32_t rank = from(1, 3);
        for (std::int32_t k = 0; k < rank; ++k) {
            made.taps.push_back(from(1, 3));
            made.strides.push_back(from(1, 3));
            made.dilations.push_back(from(1, 3));
            made.size.push_back((made.taps.back() - 1) * made.dilations.back() + from(1, 5));
        }
        const Contraction how = made.loops();
        const auto what = operators::operatorOf(how, false, true);
        ASSERT_TRUE(what) << "round " << round;
        expectSame(how, *what);
    }
}

TEST(OperatorsTest, WindowsThatOverlapInMemoryAreNoConvolution) {
    Contraction how = Convolution{1, 1, 3, 4, {9, 8}, {3, 3}, {1, 1}, {1, 1}}.loops();
    how.windows[0].step = 1;
    EXPECT_FALSE(operators::operatorOf(how, false, true));
}

}  // namespace
}  // namespace strc::testing
