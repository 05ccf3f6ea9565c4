#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "strc/runtime.h"
#include "strc/values.h"

namespace strc::testing {
namespace {

TEST(Functions, HalvesRoundUp) {
    EXPECT_EQ(strc_round(2.5), 3);
    EXPECT_EQ(strc_round(-2.5), -2);
    EXPECT_EQ(strc_round(-2.6), -3);
    EXPECT_EQ(strc_round(1e300), 1e300);
    EXPECT_TRUE(std::isnan(strc_round(NAN)));
}

TEST(Functions, LesserAndGreater) {
    EXPECT_EQ(strc_min(1, 2), 1);
    EXPECT_EQ(strc_min(2, 1), 1);
    EXPECT_EQ(strc_max(1, 2), 2);
    EXPECT_EQ(strc_max(2, -INFINITY), 2);
    for (auto function : {strc_min, strc_max}) {
        EXPECT_TRUE(std::isnan(function(NAN, 1)));
        EXPECT_TRUE(std::isnan(function(1, NAN)));
    }
    EXPECT_TRUE(std::signbit(strc_min(0.0, -0.0)));
    EXPECT_TRUE(std::signbit(strc_min(-0.0, 0.0)));
    EXPECT_FALSE(std::signbit(strc_max(0.0, -0.0)));
    EXPECT_FALSE(std::signbit(strc_max(-0.0, 0.0)));
}

using Double = std::complex<double>;

void expectNear(const float* result, Double expected, Double z) {
    double error = 1e-5 * (1 + std::abs(expected));
    EXPECT_NEAR(result[0], expected.real(), error) << z;
    EXPECT_NEAR(result[1], expected.imag(), error) << z;
}

TEST(Functions, OfComplexNumbersAreThoseOfMathematics) {
    for (float re : {-3.0f, -1.0f, -0.25f, 0.5f, 2.0f})
        for (float im : {-2.0f, -0.5f, 0.125f, 1.0f, 3.0f}) {
            Double z(re, im), w(0.5, -1.5);
            float result[2];
            strc_complex_exp(result, re, im);
            expectNear(result, std::exp(z), z);
            strc_complex_sin(result, re, im);
            expectNear(result, std::sin(z), z);
            strc_complex_cos(result, re, im);
            expectNear(result, std::cos(z), z);
            strc_complex_log(result, re, im);
            expectNear(result, std::log(z), z);
            strc_complex_sqrt(result, re, im);
            expectNear(result, std::sqrt(z), z);
            strc_complex_pow(result, re, im, 0.5f, -1.5f);
            expectNear(result, std::pow(z, w), z);
            EXPECT_FLOAT_EQ(strc_complex_abs(re, im), static_cast<float>(std::abs(z)));
            EXPECT_FLOAT_EQ(strc_complex_arg(re, im), static_cast<float>(std::arg(z)));
        }
}

TEST(Functions, RootsBesideTheCut) {
    float result[2];
    strc_complex_sqrt(result, -4, 0.0f);
    EXPECT_EQ(result[0], 0);
    EXPECT_EQ(result[1], 2);
    strc_complex_sqrt(result, -4, -0.0f);
    EXPECT_EQ(result[1], -2);
    strc_complex_sqrt(result, 9, 0);
    EXPECT_EQ(result[0], 3);
    EXPECT_EQ(result[1], 0);
}

/// Squares of parts would overflow binary32.
TEST(Functions, OfLargeComplexNumbers) {
    EXPECT_FLOAT_EQ(strc_complex_abs(3e30f, 4e30f), 5e30f);
    EXPECT_FLOAT_EQ(strc_complex_arg(-1e30f, 0), 3.14159265f);
}

TEST(Random, IsTheGeneratorOfJava) {
    std::uint64_t state = 42 ^ 0x5DEECE66Dull;  // new Random(42)
    EXPECT_EQ(strc_random_next(&state), 0.7275636800328681);
}

TEST(Random, StaysBelowOne) {
    strc_env env{};
    env.random = 1182736490827ull;
    std::uint64_t state = env.random;
    for (int i = 0; i < 1000; ++i) {
        double next = strc_random(&env);
        ASSERT_EQ(next, strc_random_next(&state));
        ASSERT_GE(next, 0);
        ASSERT_LT(next, 1);
    }
    EXPECT_EQ(env.random, state);
}

}  // namespace
}  // namespace strc::testing
