// Numbers as the compiler's own readers and writers see them: both are asked the same.
#include "io/detail/numbers.h"

#include <cmath>
#include <cstring>
#include <random>

#include "fixture.h"
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

TEST(Numbers, AreStoredAsInTheCompiler) {
    const double reals[] = {0,    1,     -1,  0.5,       2147483647.5, -2147483649.0, 1e300,
                            -0.0, 1e-45, NAN, -INFINITY, 4294967296.0, -2147483648.9};
    const std::int64_t integers[] = {0,         1,          -1,        INT32_MAX,
                                     INT32_MIN, UINT32_MAX, 1ll << 32, INT64_MIN};
    auto compare = [](const io::Number& ours, const strc_number& theirs) {
        for (auto [kind, other] : kKinds) {
            std::byte a[16]{}, b[16]{};
            EXPECT_EQ(io::store(ours, kind, a), strc_number_store(theirs, other, b) != 0);
            EXPECT_EQ(std::memcmp(a, b, sizeof a), 0) << ours.real << " as " << other;
        }
    };
    for (double real : reals) compare(io::ofReal(real), strc_real(real));
    for (std::int64_t integer : integers) compare(io::ofInteger(integer), strc_integer(integer));
}

TEST(Numbers, AreLoadedAsInTheCompiler) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 1000; ++round) {
        std::byte bytes[16];
        for (std::byte& each : bytes) each = static_cast<std::byte>(random());
        for (auto [kind, other] : kKinds) {
            io::Number ours = io::load(kind, bytes);
            strc_number theirs = strc_number_load(other, bytes);
            EXPECT_EQ(std::memcmp(&ours.real, &theirs.real, sizeof(double)), 0);
            EXPECT_EQ(ours.exact, theirs.exact != 0);
            EXPECT_EQ(ours.integer, theirs.integer);
        }
    }
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
