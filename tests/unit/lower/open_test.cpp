// ir::leaveOpen, tested here since its inputs are easily written as source.
#include "ir/open.h"

#include <gmock/gmock.h>

#include "fixture.h"

namespace strc::lower::test {
namespace {

using testing::ElementsAre;

constexpr const char* kFilters = R"(
void->int filter Plain(int a, int b) { work push 1 { push(a * b); } }
void->int filter Late(int a) { int x = 1; int t; init { t = twice(); } int twice() { return 2 * a; } work push 1 { push(t + x); } }
void->int filter Early(int a) { int t; init { t = 1; } work push 1 { push(t + a); } }
int->void filter Sink { work pop 1 { println(pop()); } }
)";

class OpenTest : public testing::Test {
protected:
    bool open(const std::string& composites, const std::vector<std::string>& names) {
        lowered = std::make_unique<Lowered>(composites + kFilters);
        EXPECT_FALSE(lowered->ctx.diags.hasErrors()) << lowered->rendered();
        return ir::leaveOpen(lowered->ctx, lowered->module, lowered->module.find("Main"), names);
    }
    std::vector<std::uint32_t> slots(const std::string& stream) const {
        return lowered->stream(stream).open;
    }
    std::size_t errors() const { return lowered->ctx.diags.errorCount(); }

    std::unique_ptr<Lowered> lowered;
};

constexpr std::uint32_t kClosed = ir::kNone;

TEST_F(OpenTest, FollowsParametersIntoFilters) {
    ASSERT_TRUE(
        open("void->void pipeline Main(int n, int m) { add Outer(m, n); add Sink; }"
             "void->int pipeline Outer(int p, int q) { add Plain(7, p); }",
             {"m"}));
    EXPECT_EQ(lowered->module.open.at(0).name, "m");
    EXPECT_EQ(lowered->module.open.at(0).constant, 1u);
    EXPECT_THAT(slots("Main"), ElementsAre(kClosed, 0));
    EXPECT_THAT(slots("Outer"), ElementsAre(0, kClosed));
    EXPECT_THAT(slots("Plain"), ElementsAre(kClosed, 0));
    EXPECT_FALSE(lowered->stream("Plain").startsLate);
}

TEST_F(OpenTest, FollowsCapturedParameters) {
    ASSERT_TRUE(
        open("void->void pipeline Main(int n) {"
             "  add pipeline { add Plain(1, n); }; add Sink; }",
             {"n"}));
    EXPECT_THAT(slots("Plain"), ElementsAre(kClosed, 0));
}

TEST_F(OpenTest, KnowsWhichFiltersStartLate) {
    ASSERT_TRUE(
        open("void->void pipeline Main(int n) { add Both(n); add Sink; }"
             "void->int splitjoin Both(int n) { split roundrobin; add Late(n); add Early(n); join "
             "roundrobin; }",
             {"n"}));
    EXPECT_TRUE(lowered->stream("Late").startsLate);  // a function of it asks for the value
    EXPECT_FALSE(lowered->stream("Early").startsLate);
}

/// Elaboration refuses what shapes the graph (tests/cli/build_test.py); all else follows when the value is set.
TEST_F(OpenTest, TakesWhatCompositesComputeWith) {
    EXPECT_TRUE(open(
        "void->void pipeline Main(int n) { int k = n + 1; add Plain(k, 1); add Sink; }", {"n"}));
    EXPECT_EQ(errors(), 0u);
    EXPECT_TRUE(
        open("void->void pipeline Main(int n) { add Both(n); add Sink; }"
             "void->int splitjoin Both(int n) { split roundrobin; add Plain(n, 1); add Plain(2, "
             "1); join roundrobin; }",
             {"n"}));
    EXPECT_EQ(errors(), 0u);
}

TEST_F(OpenTest, UnknownNamesAreReported) {
    EXPECT_FALSE(open("void->void pipeline Main(int n) { add Plain(n, 1); add Sink; }", {"k"}));
    EXPECT_NE(lowered->rendered().find("has no parameter 'k'"), std::string::npos);
}

}  // namespace
}  // namespace strc::lower::test
