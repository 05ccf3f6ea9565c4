#include "unit/runtime/fixture.h"

namespace strc::testing {
namespace {

class Strings : public RuntimeTest {};

TEST_F(Strings, OfEveryType) {
    EXPECT_EQ(textOf(strc_string_of_boolean(&env, 1)), "true");
    EXPECT_EQ(textOf(strc_string_of_boolean(&env, 0)), "false");
    EXPECT_EQ(textOf(strc_string_of_int(&env, -12)), "-12");
    EXPECT_EQ(textOf(strc_string_of_char(&env, 0xe4)), "\xe4");
    EXPECT_EQ(textOf(strc_string_of_float(&env, 1e7f)), "1.0E7");
    EXPECT_EQ(textOf(strc_string_of_double(&env, 1.0 / 3)), "0.3333333333333333");
    EXPECT_EQ(textOf(strc_string_of_complex(&env, -0.0f, 3)), "-0.0+3.0i");
    env.c_format = 1;
    EXPECT_EQ(textOf(strc_string_of_float(&env, 1e7f)), "10000000.000000");
    EXPECT_EQ(textOf(strc_string_of_double(&env, -1)), "-1.000000");
    EXPECT_EQ(textOf(strc_string_of_complex(&env, 1, -1)), "1.000000-1.000000i");
}

TEST_F(Strings, Concatenation) {
    const strc_string ab = {2, "ab"}, empty = {0, ""}, zero = {1, "\0"};
    EXPECT_EQ(textOf(strc_string_concat(&env, &ab, &ab)), "abab");
    EXPECT_EQ(textOf(strc_string_concat(&env, &ab, &empty)), "ab");
    EXPECT_EQ(textOf(strc_string_concat(&env, nullptr, &ab)), "ab");
    EXPECT_EQ(textOf(strc_string_concat(&env, nullptr, nullptr)), "");
    EXPECT_EQ(textOf(strc_string_concat(&env, &zero, &ab)), std::string("\0ab", 3));
}

TEST_F(Strings, Equality) {
    const strc_string ab = {2, "ab"}, abc = {3, "abc"}, ax = {2, "ax"}, empty = {0, ""};
    const strc_string zero = {1, "\0"};
    EXPECT_TRUE(strc_string_equal(&ab, strc_string_concat(&env, &ab, nullptr)));
    EXPECT_TRUE(strc_string_equal(&empty, nullptr));
    EXPECT_TRUE(strc_string_equal(nullptr, nullptr));
    EXPECT_FALSE(strc_string_equal(&ab, &abc));
    EXPECT_FALSE(strc_string_equal(&ab, &ax));
    EXPECT_FALSE(strc_string_equal(&empty, &zero));
    EXPECT_FALSE(strc_string_equal(nullptr, &ab));
}

TEST_F(Strings, AllOfAFiringLiveTogether) {
    std::vector<const strc_string*> all;
    for (int i = 0; i < 20'000; ++i) all.push_back(strc_string_of_int(&env, i));
    for (int i = 0; i < 20'000; ++i)
        ASSERT_EQ(textOf(all[static_cast<std::size_t>(i)]), std::to_string(i));
}

TEST_F(Strings, MemoryOfAFiringIsUsedAgain) {
    const strc_string* first = strc_string_of_int(&env, 1);
    for (int i = 0; i < 20'000; ++i) strc_string_of_int(&env, i);
    strc_strings_release(&env);
    EXPECT_EQ(strc_string_of_int(&env, 2), first);
}

TEST_F(Strings, GoBackToAMark) {
    const strc_string* kept = strc_string_of_int(&env, 17);
    std::int64_t mark = strc_strings_mark(&env);
    const strc_string* first = strc_string_of_int(&env, 1);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 20'000; ++i) strc_string_of_int(&env, i);
        strc_strings_release_to(&env, mark);
        EXPECT_EQ(strc_strings_mark(&env), mark);
    }
    EXPECT_EQ(strc_string_of_int(&env, 2), first);
    EXPECT_EQ(textOf(kept), "17");
    strc_strings_release_to(&env, 0);
    EXPECT_EQ(strc_strings_mark(&env), 0);
    EXPECT_EQ(strc_string_of_int(&env, 3), kept);
}

TEST_F(Strings, ThereIsNoneThatWouldBeOneTooMany) {
    const strc_string* string = strc_string_of_char(&env, 'x');
    std::uint64_t all = string->size;
    while (const strc_string* twice = strc_string_concat(&env, string, string)) {
        string = twice;
        all += twice->size;
        ASSERT_LE(all, STRC_STRING_BYTES);
    }
    EXPECT_GT(4 * all, STRC_STRING_BYTES);
    strc_strings_release(&env);
    EXPECT_EQ(textOf(strc_string_of_int(&env, 7)), "7");
}

TEST_F(Strings, ThereIsNoneThatIsTooLarge) {
    const strc_string large = {UINT64_MAX / 2, ""};  // its text is never looked at
    EXPECT_EQ(strc_string_concat(&env, &large, &large), nullptr);
}

TEST_F(Strings, FiringsGiveThemBack) {
    constexpr std::uint64_t kSize = 1 << 26;
    const std::string text(kSize, 'x');
    const strc_string large = {text.size(), text.data()};
    auto firings = [&](strc_env* env) {
        for (std::uint64_t i = 0; i <= STRC_STRING_BYTES / kSize; ++i) {
            strc_string_concat(env, &large, nullptr);
            strc_strings_release(env);
        }
    };
    EXPECT_EQ(run(firings), STRC_END_ITERATIONS);
    EXPECT_EQ(env.strings, nullptr);
}

}  // namespace
}  // namespace strc::testing
