#include "ir/tabulate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "ir/text.h"
#include "ir/verify.h"

namespace strc::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Works of a filter int->float with the ints i and j and the floats a and b.
class TabulateTest : public testing::Test {
protected:
    std::string tabulated(const std::string& work, std::int64_t most = kMostTableElements) {
        auto module = parse(
            "filter F int->float {\n field n: int\n setup {\n }\n work {\n local i: int\n local j: "
            "int\n"
            " local a: float\n local b: float\n" +
                work + " }\n}\n",
            types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        count = tabulate(*module->streams[0].work, types, most);
        for (const std::string& fault : verify(*module)) ADD_FAILURE() << fault;
        return print(*module->streams[0].work);
    }

    /// `for (counter = 0; counter < end; counter++)`; registers from `first` on, below `first + 10`.
    static std::string loop(int first, const std::string& counter, int end,
                            const std::string& inside, int start = 0, int step = 1) {
        return fmt::format(
            "%{0}: int = const {7}\n store<int> local {6}, %{0}\n loop {{\n %{1}: int = load local "
            "{6}\n"
            " %{2}: int = const {8}\n %{3}: boolean = lt<int> %{1}, %{2}\n yield %{3}\n }} do {{\n"
            " {10} }} step {{\n %{4}: int = load local {6}\n %{5}: int = const {9}\n"
            " %{11}: int = add %{4}, %{5}\n store<int> local {6}, %{11}\n }}\n",
            first, first + 1, first + 2, first + 3, first + 4, first + 5, counter, start, end, step,
            inside, first + 6);
    }

    int count = 0;
    types::TypeTable types;
    base::NameTable names;
};

/// Of the int in the register before: its cosine as a float, in the three registers from `first` on.
std::string cosine(int from, int first) {
    return fmt::format(
        "%{1}: double = convert %{0}\n %{2}: double = math cos %{1}\n %{3}: float = convert %{2}\n",
        from, first, first + 1, first + 2);
}

/// The int in register 30: the product of the counters i and j.
const std::string product =
    "%28: int = load local i\n %29: int = load local j\n %30: int = mul %28, %29\n";

TEST_F(TabulateTest, FunctionsOfACounter) {
    const std::string text = tabulated(
        loop(0, "i", 3, "%20: int = load local i\n" + cosine(20, 21) + "push<float> %23\n"));
    EXPECT_EQ(count, 1);
    EXPECT_THAT(text, Not(HasSubstr("math")));
    EXPECT_THAT(text, HasSubstr("ref float[3] = const {1.0, 0.5403023, -0.41614684}"));
}

TEST_F(TabulateTest, FunctionsOfSeveralCounters) {
    const std::string text = tabulated(
        loop(0, "i", 2, loop(10, "j", 3, product + cosine(30, 31) + "push<float> %33\n")));
    EXPECT_EQ(count, 1);
    EXPECT_THAT(text, Not(HasSubstr("math")));
    EXPECT_THAT(text, HasSubstr("const {1.0, 1.0, 1.0, 1.0, 0.5403023, -0.41614684}"));
}

TEST_F(TabulateTest, CountersThatStartAnywhereAndTakeAnyStep) {
    const std::string text = tabulated(
        loop(0, "i", 8, "%20: int = load local i\n" + cosine(20, 21) + "push<float> %23\n", 2, 3));
    EXPECT_THAT(text, HasSubstr("ref float[2] = const {-0.41614684, 0.2836622}"));
    EXPECT_THAT(text, HasSubstr("sub"));
    EXPECT_THAT(text, HasSubstr("div"));
}

TEST_F(TabulateTest, ArithmeticOverTheSameCountersGoesIntoTheTable) {
    const std::string text = tabulated(
        loop(0, "i", 2,
             "%20: int = load local i\n" + cosine(20, 21) +
                 "%24: float = const 2.0\n %25: float = mul %23, %24\n push<float> %25\n"));
    EXPECT_EQ(count, 1);
    EXPECT_THAT(text, HasSubstr("const {2.0, 1.0806046}"));
}

TEST_F(TabulateTest, ProductsOfTablesStayProducts) {
    const std::string text = tabulated(
        loop(0, "i", 2,
             loop(10, "j", 3,
                  "%30: int = load local i\n" + cosine(30, 31) + "%34: int = load local j\n" +
                      cosine(34, 35) + "%38: float = mul %33, %37\n push<float> %38\n")));
    EXPECT_EQ(count, 2);
    EXPECT_THAT(text, HasSubstr("ref float[2] = const"));
    EXPECT_THAT(text, HasSubstr("ref float[3] = const"));
}

TEST_F(TabulateTest, LocalsWithOneStore) {
    const std::string text = tabulated(
        loop(0, "i", 3,
             "%20: int = load local i\n %21: float = convert %20\n store<float> local a, %21\n"
             " %22: float = load local a\n %23: double = convert %22\n %24: double = math exp %23\n"
             " %25: float = convert %24\n store<float> local b, %25\n %26: float = load local b\n"
             " push<float> %26\n"));
    EXPECT_EQ(count, 1);
    EXPECT_THAT(text, HasSubstr("const {1.0, 2.7182817, 7.389056}"));
    EXPECT_THAT(text, Not(HasSubstr("local a,")));  // neither stored nor loaded
    EXPECT_THAT(text, Not(HasSubstr("local b,")));
}

TEST_F(TabulateTest, Choices) {
    const std::string text = tabulated(
        loop(0, "i", 2,
             "%20: int = load local i\n %21: int = const 0\n %22: boolean = eq<int> %20, %21\n"
             " %23: double = if %22 {\n %26: double = const 0.5\n yield %26\n } else {\n"
             " %24: double = convert %20\n %25: double = math cos %24\n yield %25\n }\n"
             " %27: float = convert %23\n push<float> %27\n"));
    EXPECT_THAT(text, HasSubstr("const {0.5, 0.5403023}"));
    EXPECT_THAT(text, Not(HasSubstr("math")));
}

TEST_F(TabulateTest, CheapFunctionsStay) {
    EXPECT_THAT(tabulated(loop(0, "i", 3,
                               "%20: int = load local i\n %21: double = convert %20\n"
                               " %22: double = math floor %21\n %23: float = convert %22\n"
                               " push<float> %23\n")),
                HasSubstr("math floor"));
    EXPECT_EQ(count, 0);
}

TEST_F(TabulateTest, NoMoreElementsThanAllowed) {
    const std::string work =
        loop(0, "i", 4, loop(10, "j", 4, product + cosine(30, 31) + "push<float> %33\n"));
    tabulated(work, 16);
    EXPECT_EQ(count, 1);
    EXPECT_THAT(tabulated(work, 15), HasSubstr("math cos"));
    EXPECT_EQ(count, 0);
}

TEST_F(TabulateTest, NothingThatOnlyTheRunKnows) {
    EXPECT_THAT(
        tabulated(loop(0, "i", 3,
                       "%18: int = load local i\n %19: int = pop\n %20: int = add %18, %19\n" +
                           cosine(20, 21) + "push<float> %23\n")),
        HasSubstr("math cos"));
    EXPECT_THAT(tabulated("%20: int = load field n\n" + cosine(20, 21) + "push<float> %23\n"),
                HasSubstr("math cos"));
}

TEST_F(TabulateTest, NoLocalsWithSeveralStores) {
    const std::string text = tabulated(
        loop(0, "i", 3,
             "%20: int = load local i\n" + cosine(20, 21) +
                 "store<float> local a, %23\n %24: boolean = const true\n"
                 " %25: int = pop\n %26: boolean = eq<int> %25, %20\n if %26 {\n %27: float = "
                 "const 5.0\n"
                 " store<float> local a, %27\n }\n %28: float = load local a\n push<float> %28\n"));
    EXPECT_EQ(count, 1);  // what is stored first, but not what is loaded
    EXPECT_THAT(text, HasSubstr("load local a"));
}

TEST_F(TabulateTest, NothingThatCouldTrap) {
    const std::string text =
        tabulated(loop(0, "i", 3,
                       "%18: int = const 6\n %19: int = load local i\n %20: int = div %18, %19\n" +
                           cosine(20, 21) + "push<float> %23\n"));
    EXPECT_EQ(count, 0);
    EXPECT_THAT(text, HasSubstr("math cos"));
}

TEST_F(TabulateTest, ACounterOfTwoLoops) {
    const std::string use = "%20: int = load local i\n" + cosine(20, 21) + "push<float> %23\n";
    const std::string again = "%50: int = load local i\n" + cosine(50, 51) + "push<float> %53\n";
    const std::string text = tabulated(loop(0, "i", 2, use) + loop(40, "i", 3, again, 1));
    EXPECT_EQ(count, 2);
    EXPECT_THAT(text, HasSubstr("const {1.0, 0.5403023}"));
    EXPECT_THAT(text, HasSubstr("const {0.5403023, -0.41614684}"));
}

}  // namespace
}  // namespace strc::ir
