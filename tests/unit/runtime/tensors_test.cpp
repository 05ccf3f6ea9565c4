// The text of tensors. What is expected was written by NumPy 2.4.

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "strc/values.h"

namespace strc::testing {
namespace {

template <typename T>
strc_element elementOf() {
    if (std::is_same_v<T, std::uint8_t>) return STRC_ELEMENT_BOOLEAN;
    if (std::is_same_v<T, std::int32_t>) return STRC_ELEMENT_INT;
    if (std::is_same_v<T, std::int64_t>) return STRC_ELEMENT_LONG;
    return std::is_same_v<T, float> ? STRC_ELEMENT_FLOAT : STRC_ELEMENT_DOUBLE;
}

template <typename T>
std::string text(const std::vector<T>& values, const std::vector<std::int64_t>& dims) {
    std::vector<std::int64_t> shape{elementOf<T>(), static_cast<std::int64_t>(dims.size())};
    shape.insert(shape.end(), dims.begin(), dims.end());
    std::string out;
    auto put = [](void* self, const char* piece, std::uint64_t size) {
        static_cast<std::string*>(self)->append(piece, size);
    };
    strc_text_of_tensor(shape.data(), values.data(), put, &out);
    return out;
}

template <typename T>
std::string row(const std::vector<T>& values) {
    return text(values, {static_cast<std::int64_t>(values.size())});
}

template <typename T>
std::vector<T> upTo(std::size_t count, T factor = 1) {
    std::vector<T> values(count);
    for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<T>(k) * factor;
    return values;
}

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

}  // namespace

TEST(TensorText, AlignsColumns) {
    EXPECT_EQ(row<float>({1, 2.5f, -3}), "[ 1.   2.5 -3. ]");
    EXPECT_EQ(row<float>({-0.0f, 0}), "[-0.  0.]");
    EXPECT_EQ(row<double>({0.00012345678912, 0.1}), "[0.00012346 0.1       ]");
    EXPECT_EQ(row<std::int32_t>({-5, 1000}), "[  -5 1000]");
    EXPECT_EQ(row<std::int64_t>({std::int64_t{1} << 62, -1}),
              "[4611686018427387904                  -1]");
    EXPECT_EQ(row<std::uint8_t>({1, 0}), "[ True False]");
    EXPECT_EQ(row<std::uint8_t>({1, 1}), "[ True  True]");
}

TEST(TensorText, UsesExponentsWhereNumbersDifferMuch) {
    EXPECT_EQ(text<float>({1, 0.1f, 1e-3f, 100}, {2, 2}), "[[1.e+00 1.e-01]\n [1.e-03 1.e+02]]");
    EXPECT_EQ(row<float>({0.1f, 1e-10f / 3}), "[1.0000000e-01 3.3333333e-11]");
    EXPECT_EQ(row<float>({1e6f, 1}), "[1.e+06 1.e+00]");
    EXPECT_EQ(row<float>({999999, 0.5f}), "[9.99999e+05 5.00000e-01]");
    EXPECT_EQ(row<double>({1e8}), "[1.e+08]");
    EXPECT_EQ(row<double>({1.0 / 3, 2.0 / 3, -1e-300}),
              "[ 3.33333333e-001  6.66666667e-001 -1.00000000e-300]");
    EXPECT_EQ(row<double>({5e-324, 1e-5}), "[5.e-324 1.e-005]");
    EXPECT_EQ(row<float>({1e-45f}), "[1.e-45]");
}

TEST(TensorText, HasPlaceForWhatIsNoNumber) {
    EXPECT_EQ(row<float>({kNone, 1}), "[nan  1.]");
    EXPECT_EQ(row<float>({kNone, kInfinite, -kInfinite, 2.25f}), "[ nan  inf -inf 2.25]");
    EXPECT_EQ(row<float>({kNone, -kInfinite}), "[ nan -inf]");
}

TEST(TensorText, WithoutDimensionsIsANumber) {
    EXPECT_EQ(text<float>({0.1f}, {}), "0.1");
    EXPECT_EQ(text<float>({1e6f}, {}), "1e+06");
    EXPECT_EQ(text<float>({1.5e-7f}, {}), "1.5e-07");
    EXPECT_EQ(text<float>({kNone}, {}), "nan");
    EXPECT_EQ(text<double>({1e15}, {}), "1000000000000000.0");
    EXPECT_EQ(text<double>({1e16}, {}), "1e+16");
    EXPECT_EQ(text<std::uint8_t>({1}, {}), "True");
    EXPECT_EQ(text<std::int64_t>({-7}, {}), "-7");
}

TEST(TensorText, BreaksLongLines) {
    EXPECT_EQ(row(upTo<float>(30, 1.5f)),
              "[ 0.   1.5  3.   4.5  6.   7.5  9.  10.5 12.  13.5 15.  16.5 18.  19.5\n"
              " 21.  22.5 24.  25.5 27.  28.5 30.  31.5 33.  34.5 36.  37.5 39.  40.5\n"
              " 42.  43.5]");
}

TEST(TensorText, NestsBrackets) {
    EXPECT_EQ(text(upTo<float>(12), {2, 1, 3, 2}),
              "[[[[ 0.  1.]\n   [ 2.  3.]\n   [ 4.  5.]]]\n\n\n"
              " [[[ 6.  7.]\n   [ 8.  9.]\n   [10. 11.]]]]");
    EXPECT_EQ(text<float>({}, {2, 0}), "[]");
}

TEST(TensorText, ShowsTheEdgesOfLargeOnes) {
    EXPECT_EQ(row(upTo<std::int32_t>(1001)), "[   0    1    2 ...  998  999 1000]");
    const std::string line = "[0. 0. 0. ... 0. 0. 0.]";
    const std::string three = line + "\n " + line + "\n " + line;
    EXPECT_EQ(text(std::vector<float>(1050), {7, 150}), "[" + three + "\n ...\n " + three + "]");
    EXPECT_EQ(row(upTo<std::int32_t>(1000)).find("..."), std::string::npos);
}

TEST(TensorText, HalvesHaveFewDigits) {
    auto halves = [&](std::vector<float> of) {
        const std::vector<std::int64_t> shape{STRC_ELEMENT_HALF, 1,
                                              static_cast<std::int64_t>(of.size())};
        std::string out;
        auto put = [](void* self, const char* piece, std::uint64_t size) {
            static_cast<std::string*>(self)->append(piece, size);
        };
        std::vector<std::uint16_t> bits;
        for (float value : of) bits.push_back(strc_to_half(static_cast<double>(value)));
        strc_text_of_tensor(shape.data(), bits.data(), put, &out);
        return out;
    };
    EXPECT_EQ(halves({0.09997559f, 2048, 65504, 5.9604645e-08f}),
              "[9.998e-02 2.048e+03 6.550e+04 5.960e-08]");
    EXPECT_EQ(halves({0.015625f, 0.5f}), "[0.01563 0.5    ]");  // a power of two: rounded up
    EXPECT_EQ(halves({999, 0.5f}), "[9.99e+02 5.00e-01]");
}

TEST(ShortFloats, EveryHalfIsTheNearestToItself) {
    for (unsigned bits = 0; bits <= 0xffff; ++bits) {
        const double value = strc_of_half(static_cast<std::uint16_t>(bits));
        if (std::isnan(value))
            EXPECT_TRUE(std::isnan(strc_of_half(strc_to_half(value))));
        else
            EXPECT_EQ(strc_to_half(value), bits) << bits;
    }
}

TEST(ShortFloats, RoundOnceToTheNearestHalvesToEven) {
    EXPECT_EQ(strc_to_half(1 + 0x1p-11), 0x3c00);  // halfway to the next one, which is odd
    EXPECT_EQ(strc_to_half(1 + 0x1p-11 + 0x1p-40), 0x3c01);
    EXPECT_EQ(strc_to_half(1 + 0x3p-11), 0x3c02);
    EXPECT_EQ(strc_to_half(65519.99), 0x7bff);
    EXPECT_EQ(strc_to_half(65520), 0x7c00);
    EXPECT_EQ(strc_to_half(0x1p-25), 0);
    EXPECT_EQ(strc_to_half(0x1.8p-25), 1);
    EXPECT_EQ(strc_to_half(-0x1p-14 + 0x1p-26), 0x8400);
    EXPECT_EQ(strc_to_bfloat16(1 + 0x1p-8), 0x3f80);
    EXPECT_EQ(strc_to_bfloat16(1 + 0x1p-8 + 0x1p-50), 0x3f81);
    EXPECT_EQ(strc_to_bfloat16(3.4e38), 0x7f80);
    EXPECT_EQ(strc_to_bfloat16(1e300), 0x7f80);
    EXPECT_EQ(strc_to_bfloat16(0x1p-133), 1);
    EXPECT_EQ(strc_to_bfloat16(-0.0), 0x8000);
}

}  // namespace strc::testing
