// The text of numbers against that of the C++ and the C library.

#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "strc/values.h"

namespace strc::testing {
namespace {

std::string text(float value, bool likeC = false) {
    char buffer[STRC_TEXT_ROOM];
    return {buffer, strc_text_of_float(buffer, value, likeC)};
}
std::string text(double value, bool likeC = false) {
    char buffer[STRC_TEXT_ROOM];
    return {buffer, strc_text_of_double(buffer, value, likeC)};
}
std::string text(std::int32_t value) {
    char buffer[STRC_TEXT_ROOM];
    return {buffer, strc_text_of_int(buffer, value)};
}
std::string text(float re, float im, bool likeC) {
    char buffer[STRC_TEXT_ROOM];
    return {buffer, strc_text_of_complex(buffer, re, im, likeC)};
}

/// Java's layout of the shortest digits, which the C++ library finds; value finite, not 0.
template <typename T>
std::string expected(T value) {
    char buffer[64];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value),
                             std::chars_format::scientific)
                   .ptr;
    std::string digits;
    const char* at = buffer;
    for (; at != end && *at != 'e'; ++at)
        if (*at != '.') digits += *at;
    int exponent = 0;
    std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, exponent);
    std::string sign = value < 0 ? "-" : "";
    int count = static_cast<int>(digits.size());
    if (exponent < -3 || exponent >= 7)
        return sign + digits[0] + '.' + (count > 1 ? digits.substr(1) : "0") + 'E' +
               std::to_string(exponent);
    if (exponent < 0)
        return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    auto point = static_cast<std::size_t>(exponent + 1);
    if (digits.size() <= point)
        return sign + digits + std::string(point - digits.size(), '0') + ".0";
    return sign + digits.substr(0, point) + '.' + digits.substr(point);
}

template <typename T>
void check(T value) {
    if (!std::isfinite(value) || value == 0) return;
    ASSERT_EQ(text(value), expected(value));
    ASSERT_EQ(text(-value), expected(-value));
}

/// A number and some that lie around it.
template <typename T>
void checkAround(T value) {
    T below = value, above = value;
    for (int i = 0; i < 20; ++i) {
        check(below);
        check(above);
        below = std::nextafter(below, T(0));
        above = std::nextafter(above, std::numeric_limits<T>::infinity());
    }
}

template <typename T>
class Numbers : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Numbers, Types);

TYPED_TEST(Numbers, PowersOfTwo) {
    for (int e = -1074; e < 1024; ++e) checkAround(static_cast<TypeParam>(std::ldexp(1.0, e)));
}

TYPED_TEST(Numbers, PowersOfTenAndTheirMultiples) {
    for (int e = -324; e < 309; ++e)
        for (int digit = 1; digit < 10; ++digit) {
            std::string name = std::to_string(digit) + "e" + std::to_string(e);
            checkAround(static_cast<TypeParam>(std::strtod(name.c_str(), nullptr)));
        }
}

TYPED_TEST(Numbers, Subnormal) {
    TypeParam value = std::numeric_limits<TypeParam>::denorm_min();
    for (int i = 1; i < 5000; ++i) check(value * static_cast<TypeParam>(i));
    checkAround(std::numeric_limits<TypeParam>::min());
    checkAround(std::numeric_limits<TypeParam>::max());
}

TYPED_TEST(Numbers, Integers) {
    for (int i = 1; i < 20'000; ++i) check(static_cast<TypeParam>(i));
    for (std::int64_t i = 1; i < INT64_MAX / 7; i *= 7) checkAround(static_cast<TypeParam>(i));
}

TYPED_TEST(Numbers, ShortFractions) {
    for (int i = 1; i < 20'000; ++i) {
        check(static_cast<TypeParam>(i) / 8);
        check(static_cast<TypeParam>(i) / 100);
        check(static_cast<TypeParam>(i) / 100'000);
    }
}

/// How many random numbers are tried: more where there is time.
int trips() {
    const char* factor = std::getenv("STRC_TEST_ROUNDS");
    return 200'000 * (factor ? std::atoi(factor) : 1);
}

TEST(RandomNumbers, OfFloat) {
    std::mt19937 random(1);
    for (int i = 0; i < trips(); ++i)
        check(std::bit_cast<float>(static_cast<std::uint32_t>(random()) >> 1));
}

TEST(RandomNumbers, OfDouble) {
    std::mt19937_64 random(2);
    for (int i = 0; i < trips(); ++i) check(std::bit_cast<double>(random() >> 1));
}

TEST(Special, LikeJava) {
    EXPECT_EQ(text(0.0f), "0.0");
    EXPECT_EQ(text(-0.0), "-0.0");
    EXPECT_EQ(text(INFINITY), "Infinity");
    EXPECT_EQ(text(-HUGE_VAL), "-Infinity");
    EXPECT_EQ(text(NAN), "NaN");
    EXPECT_EQ(text(-std::nan("")), "NaN");
}

TEST(Layout, LikeJava) {
    EXPECT_EQ(text(1e-3f), "0.001");
    EXPECT_EQ(text(9.999e-4f), "9.999E-4");
    EXPECT_EQ(text(9999999.0f), "9999999.0");
    EXPECT_EQ(text(1e7f), "1.0E7");
    EXPECT_EQ(text(123.456f), "123.456");
    EXPECT_EQ(text(0.1 + 0.2), "0.30000000000000004");
    EXPECT_EQ(text(-1.5e300), "-1.5E300");
    EXPECT_EQ(text(5e-324), "5.0E-324");
}

TEST(Int, Text) {
    for (std::int32_t value : {0, 9, 10, 99, 100, 101, -1, -10, 12345, INT32_MAX, INT32_MIN})
        EXPECT_EQ(text(value), std::to_string(value));
}

TEST(Complex, Text) {
    EXPECT_EQ(text(1, 2, false), "1.0+2.0i");
    EXPECT_EQ(text(-1, -0.0f, false), "-1.0-0.0i");
    EXPECT_EQ(text(NAN, -INFINITY, false), "NaN-Infinityi");
    EXPECT_EQ(text(-3e38f, -3e38f, true).size(), 2 * 47u + 1);
}

void checkLikeC(double value) {
    char buffer[400];
    std::snprintf(buffer, sizeof buffer, "%f", value);
    ASSERT_EQ(text(value, true), buffer);
}

TEST(LikeC, Special) {
    EXPECT_EQ(text(NAN, true), "nan");
    EXPECT_EQ(text(-NAN, true), "nan") << "its sign says nothing";
    EXPECT_EQ(text(INFINITY, true), "inf");
    EXPECT_EQ(text(-INFINITY, true), "-inf");
    EXPECT_EQ(text(-0.0f, true), "-0.000000");
}

TEST(LikeC, Extremes) {
    for (int e = -1074; e < 1024; ++e)
        for (double factor : {1.0, 1.5, 1.0 + 1.0 / (1ll << 52), 2.0 - 1.0 / (1ll << 52)}) {
            checkLikeC(std::ldexp(factor, e));
            checkLikeC(-std::ldexp(factor, e));
        }
    checkLikeC(std::numeric_limits<double>::max());
    checkLikeC(std::numeric_limits<double>::denorm_min());
}

TEST(LikeC, Halves) {
    for (int i = 0; i < 4096; ++i) {
        checkLikeC(i / 128.0);  // seven digits
        checkLikeC(i / 128e4);
        checkLikeC(1e9 + i / 128.0);
    }
}

TEST(LikeC, Random) {
    std::mt19937_64 random(3);
    for (int i = 0; i < trips() / 4; ++i) {
        checkLikeC(std::bit_cast<double>(random() & ~(1ull << 62)));
        checkLikeC(static_cast<double>(random() >> 24) / 65536e3);
    }
}

/// A program of somebody else that uses the runtime may have set one.
TEST(LikeC, TheLocaleDoesNotMatter) {
    std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) std::setlocale(LC_ALL, name);
    EXPECT_EQ(text(1234.5f, true), "1234.500000");
    EXPECT_EQ(text(1234.5f), "1234.5");
    std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace strc::testing
