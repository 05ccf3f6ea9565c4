// Numbers of files, as the language has them.
#include "strc/files/numbers.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "fixture.h"
#include "types/math.h"
#include "types/parse.h"
#include "types/value.h"

extern "C" {
#include "strc/files/npy.h"
#include "strc/files/parse_value.h"
}

namespace strc::testing {
namespace {

using types::TypeKind;

constexpr std::pair<TypeKind, strc_kind> kKinds[] = {
    {TypeKind::Boolean, STRC_BOOLEAN}, {TypeKind::Bit, STRC_BIT},
    {TypeKind::Int, STRC_INT},         {TypeKind::Float, STRC_FLOAT},
    {TypeKind::Double, STRC_DOUBLE},   {TypeKind::Complex, STRC_COMPLEX}};

/// What is stored; empty: it is refused.
template <typename T>
std::optional<T> stored(const strc_number& number, strc_kind kind) {
    T value{};
    if (strc_number_store(number, kind, &value) == 0) return std::nullopt;
    return value;
}

TEST(Numbers, RealsAreStoredAsCastsConvertThem) {
    for (double real : {0.0, 1.0, -1.0, 0.5, 2147483647.5, -2147483649.0, 1e300, -0.0, 1e-45,
                        -std::numeric_limits<double>::infinity(), 4294967296.0, -2147483648.9}) {
        const strc_number number = strc_real(real);
        EXPECT_EQ(stored<std::int32_t>(number, STRC_INT), types::toInt(real)) << real;
        EXPECT_EQ(stored<float>(number, STRC_FLOAT), static_cast<float>(real)) << real;
        EXPECT_EQ(stored<double>(number, STRC_DOUBLE), real);
        EXPECT_EQ(stored<std::complex<float>>(number, STRC_COMPLEX), static_cast<float>(real));
        for (strc_kind kind : {STRC_BOOLEAN, STRC_BIT})
            EXPECT_EQ(stored<std::uint8_t>(number, kind).has_value(), real == 0 || real == 1);
    }
    EXPECT_EQ(stored<std::int32_t>(strc_real(NAN), STRC_INT), types::toInt(NAN));
    EXPECT_TRUE(std::isnan(*stored<float>(strc_real(NAN), STRC_FLOAT)));
}

TEST(Numbers, IntegersOfMoreThanFourBytesAreNoInts) {
    for (std::int64_t integer :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{INT32_MAX},
          std::int64_t{INT32_MIN}, std::int64_t{UINT32_MAX}}) {
        EXPECT_EQ(stored<std::int32_t>(strc_integer(integer), STRC_INT), types::wrap(integer));
        EXPECT_EQ(stored<double>(strc_integer(integer), STRC_DOUBLE), integer);
    }
    for (std::int64_t integer : {std::int64_t{1} << 32, std::int64_t{INT32_MIN} - 1, INT64_MIN})
        EXPECT_EQ(stored<std::int32_t>(strc_integer(integer), STRC_INT), std::nullopt);
}

TEST(Numbers, AreLoadedAsTheyWereStored) {
    const std::int32_t integer = -7;
    const std::uint8_t bit = 1;
    const float parts[] = {2.5f, -3};
    const double real = 1e300;
    EXPECT_EQ(strc_number_load(STRC_INT, &integer).integer, -7);
    EXPECT_TRUE(strc_number_load(STRC_INT, &integer).exact);
    EXPECT_EQ(strc_number_load(STRC_BIT, &bit).integer, 1);
    EXPECT_EQ(strc_number_load(STRC_FLOAT, parts).real, 2.5);
    EXPECT_EQ(strc_number_load(STRC_COMPLEX, parts).imag, -3);
    EXPECT_EQ(strc_number_load(STRC_DOUBLE, &real).real, 1e300);
    EXPECT_FALSE(strc_number_load(STRC_DOUBLE, &real).exact);
}

/// What a text file takes for a value, as the compiler has it.
std::optional<types::Value> parse(const std::string& word, TypeKind kind) {
    types::Type type;
    type.kind = kind;
    return types::parseValue(word, &type);
}

TEST(Words, RandomOnesAreReadAsInTheCompiler) {
    std::mt19937_64 random(2);
    const std::string letters = "0123456789.-+eExfin0x1";
    int values = 0;
    for (int round = 0; round < 300000; ++round) {
        std::string word(1 + random() % 7, ' ');
        for (char& c : word) c = letters[random() % letters.size()];
        for (auto [kind, other] : kKinds) {
            std::optional<types::Value> ours = parse(word, kind);
            char theirs[16]{};
            bool isOne = kind == TypeKind::Boolean && (word == "0" || word == "1");
            if (isOne) continue;  // text files take them
            ASSERT_EQ(ours.has_value(),
                      strc_parse_value(word.data(), word.size(), other, theirs) != 0)
                << word << " as " << other;
            if (!ours) continue;
            ++values;
            ASSERT_EQ(std::memcmp(ours->bytes.data(), theirs, ours->bytes.size()), 0) << word;
        }
    }
    EXPECT_GT(values, 10000);
}

TEST(Words, SpecialOnesAreReadAsInTheCompiler) {
    int values = 0;
    for (const std::string word :
         {"inf", "-inf", "+inf", "INF", "Infinity", "-infinity", "nan", "-nan", "NaN", "inff",
          "++inf", "+-inf", "-+inf", "infi", "na"}) {
        std::optional<types::Value> ours = parse(word, TypeKind::Double);
        char theirs[16]{};
        ASSERT_EQ(ours.has_value(),
                  strc_parse_value(word.data(), word.size(), STRC_DOUBLE, theirs) != 0)
            << word;
        if (!ours) continue;
        ++values;
        ASSERT_EQ(std::memcmp(ours->bytes.data(), theirs, sizeof(double)), 0) << word;
    }
    EXPECT_EQ(values, 10);
}

TEST(Words, LongOnesAreNone) {
    char to[16];
    EXPECT_TRUE(strc_parse_value(std::string(200, '1').data(), 200, STRC_DOUBLE, to));
    EXPECT_FALSE(strc_parse_value(std::string(201, '1').data(), 201, STRC_DOUBLE, to));
    EXPECT_FALSE(strc_parse_value("1\0", 2, STRC_INT, to));
}

TEST(Words, WhatIsBeyondTheRangeIsRefused) {
    char to[16];
    for (const char* word : {"1e400", "-1e400", "1e-400", "2e-324"})
        EXPECT_FALSE(strc_parse_value(word, strlen(word), STRC_DOUBLE, to)) << word;
    for (const char* word : {"0e400", "-0.0e-999", "1e-320", "1e308"})
        EXPECT_TRUE(strc_parse_value(word, strlen(word), STRC_DOUBLE, to)) << word;
}

TEST(Npy, HeadersAreUnderstood) {
    strc_npy_header header;
    char why[STRC_NPY_WHY];
    auto parsed = [&](const std::string& text) {
        return strc_npy_parse(text.data(), text.size(), &header, why) == 0 ? "" : std::string(why);
    };
    EXPECT_EQ(parsed("{'descr': '>c16', 'fortran_order': False, 'shape': (2, 3L), }  \n"), "");
    EXPECT_EQ(header.kind, 'c');
    EXPECT_EQ(header.size, 16u);
    EXPECT_EQ(header.count, 6u);
    EXPECT_TRUE(header.big_endian);
    EXPECT_EQ(parsed("{'shape': (), 'fortran_order': True, 'descr': \"?\"}"), "");
    EXPECT_EQ(header.count, 1u);
    std::string shapes;
    for (int k = 0; k < 1000; ++k) shapes += "'shape': (2, 3), ";
    EXPECT_EQ(parsed("{" + shapes + "'descr': '<f4', 'fortran_order': False, 'shape': (5,)}"), "");
    EXPECT_EQ(header.rank, 1u) << "the last one counts";
    EXPECT_EQ(header.extents[0], 5);
    EXPECT_EQ(header.count, 5u);
    EXPECT_EQ(parsed(""), "its header is not a dictionary");
    EXPECT_EQ(parsed("{'descr': '<f4'}"), "its header is not complete");
    EXPECT_EQ(parsed("{'descr': '<f3'"), "its elements are of type '<f3'");
    EXPECT_EQ(parsed("{'descr': ["), "its elements are records");
    EXPECT_EQ(parsed("{'shape': (9999999999, 9999999999)"), "its header has no valid shape");
    EXPECT_EQ(parsed("{'shape': (99999999999999999999,)"), "its header has no valid shape");
    EXPECT_EQ(parsed("{'x': 1}"), "its header has the unknown entry 'x'");
    EXPECT_EQ(parsed("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}"),
              "it is in Fortran order; save numpy.ascontiguousarray(a) instead");
}

}  // namespace
}  // namespace strc::testing
