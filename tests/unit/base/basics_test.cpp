#include <cstdint>
#include <numeric>

#include <gtest/gtest.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/names.h"
#include "base/result.h"
#include "base/utf8.h"

namespace strc::base {
namespace {

TEST(Arena, AlignsEveryObject) {
    Arena arena;
    for (int i = 0; i < 100; ++i) {
        arena.make<char>('x');
        auto* number = arena.make<double>(i * 1.0);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(number) % alignof(double), 0u);
        EXPECT_EQ(*number, i);
    }
}

TEST(Arena, KeepsWhatItMadeWhileItGrows) {
    Arena arena;
    std::vector<int*> made;
    for (int i = 0; i < 50'000; ++i) made.push_back(arena.make<int>(i));
    for (int i = 0; i < 50'000; ++i) ASSERT_EQ(*made[i], i);
}

TEST(Arena, TakesWhatIsLargerThanAChunk) {
    Arena arena;
    std::vector<int> many(1'000'000);
    std::iota(many.begin(), many.end(), 0);
    std::span<int> copy = arena.copy(many);
    int* after = arena.make<int>(7);
    EXPECT_EQ(copy.size(), many.size());
    EXPECT_TRUE(std::equal(copy.begin(), copy.end(), many.begin()));
    EXPECT_EQ(*after, 7);
    EXPECT_TRUE(arena.copy(std::vector<int>()).empty());
}

TEST(Names, EqualTextsAreOneName) {
    NameTable names;
    Name a = names.intern("work");
    std::string text = "wo";
    text += "rk";
    EXPECT_EQ(a, names.intern(text));
    EXPECT_FALSE(a == names.intern("Work"));
    EXPECT_EQ(a.text(), "work");
    EXPECT_EQ(a.str(), "work");
    EXPECT_TRUE(a);
}

TEST(Names, NoNameIsEmpty) {
    Name none;
    EXPECT_FALSE(none);
    EXPECT_EQ(none.text(), "");
    EXPECT_EQ(none, Name{});
}

TEST(Names, StayWhileTheTableGrows) {
    NameTable names;
    Name first = names.intern("first");
    for (int i = 0; i < 10'000; ++i) names.intern("n" + std::to_string(i));
    EXPECT_EQ(first.text(), "first");
    EXPECT_EQ(first, names.intern("first"));
}

TEST(Result, HoldsAValueOrAReason) {
    Result<std::string> good = std::string("value");
    Result<std::string> bad = Failure{"cannot open 'x'"};
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, "value");
    EXPECT_EQ(good->size(), 5u);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error(), "cannot open 'x'");
    EXPECT_TRUE(ok());
}

TEST(Result, ReasonsOfTheTableCanBeReported) {
    Result<int> bad = failure(Diag::CannotOpenFile, {"x.raw", "Permission denied"});
    EXPECT_EQ(bad.error(), "cannot open 'x.raw': Permission denied");
    Diagnostics diags;
    report(diags, bad.failure());
    ASSERT_EQ(diags.errorCount(), 1u);
    EXPECT_EQ(diags.all()[0].id, Diag::CannotOpenFile);
    EXPECT_EQ(diags.all()[0].args, (std::vector<std::string>{"x.raw", "Permission denied"}));
}

TEST(ResultDeathTest, MisuseIsAFaultOfTheCompiler) {
    Result<int> bad = Failure{"no"};
    Result<int> good = 1;
    EXPECT_EXIT(*bad, testing::ExitedWithCode(70), "internal error: value of a failed Result");
    EXPECT_EXIT((void)good.error(), testing::ExitedWithCode(70), "internal error: .*success");
}

TEST(AssertDeathTest, NamesThePlace) {
    EXPECT_EXIT(STRC_ASSERT(1 + 1 == 3, "arithmetic is broken"), testing::ExitedWithCode(70),
                R"(internal error: arithmetic is broken \(.*basics_test\.cpp:[0-9]+\))");
    STRC_ASSERT(true, "not reached");
}

TEST(Utf8, MeasuresWellFormedCharacters) {
    EXPECT_EQ(utf8Length("a"), 1u);
    EXPECT_EQ(utf8Length("\xC3\xA4x"), 2u);
    EXPECT_EQ(utf8Length("\xE2\x82\xAC"), 3u);
    EXPECT_EQ(utf8Length("\xF0\x9F\x98\x80"), 4u);
}

TEST(Utf8, RefusesEverythingElse) {
    for (std::string_view bad :
         {"", "\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xC3(", "\xE0\x80\x80", "\xED\xA0\x80",
          "\xE2\x82", "\xE2\x82(", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
          "\xFF"})
        EXPECT_EQ(utf8Length(bad), 0u) << testing::PrintToString(std::string(bad));
}

}  // namespace
}  // namespace strc::base
