#include "ir/affine_state.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

/// What is found in a filter with int fields `a` and `b`, a float `f` and an array.
class AffineStateTest : public testing::Test {
protected:
    std::string state(const std::string& work) {
        auto module = parse(
            "filter F int->int {\nfield a: int\nfield b: int\nfield f: float\nfield t: int[4]\n"
            "setup {\n}\nwork {\nlocal x: int\n" +
                work + "}\n}\n",
            types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        const StreamCode& code = module->streams[0];
        const auto found = findAffineState(*code.work);
        if (!found) return "none";
        return found->empty() ? "no state" : print(code, *found);
    }
    const std::string a = "%0: int = load field a\n%1: int = const 5\n",
                      store = "store<int> field a, ";

    types::TypeTable types;
    base::NameTable names;
};

TEST_F(AffineStateTest, FactorsSummandsAndMasks) {
    EXPECT_EQ(state("%0: int = pop\npush<int> %0\n"), "no state");
    EXPECT_EQ(state(a + "%2: int = add %0, %1\n" + store + "%2\n"), "a: 1 * x + 5\n");
    EXPECT_EQ(state(a + "%2: int = mul %0, %1\n%3: int = sub %2, %1\n" + store + "%3\n"),
              "a: 5 * x + -5\n");
    EXPECT_EQ(state(a + "%2: int = sub %1, %0\n" + store + "%2\n"), "a: -1 * x + 5\n");
    EXPECT_EQ(state(a + "%2: int = add %0, %1\n%3: int = const 255\n%4: int = and %2, %3\n" +
                    store + "%4\n"),
              "a: 1 * x + 5, masked by 255\n");
    EXPECT_EQ(state(a + "%2: int = add %0, %1\nstore<int> local x, %2\n%3: int = load local x\n" +
                    store + "%3\n"),
              "a: 1 * x + 5\n");
}

TEST_F(AffineStateTest, OtherStateIsNone) {
    const std::string sum = "%2: int = add %0, %1\n";
    EXPECT_EQ(state(a + "%2: int = mul %0, %0\n" + store + "%2\n"), "none") << "a square";
    EXPECT_EQ(state(a + "%2: int = pop\n%3: int = add %0, %2\n" + store + "%3\n"), "none")
        << "an item";
    EXPECT_EQ(state(a + sum + "store<int> field b, %2\n"), "none") << "another field";
    EXPECT_EQ(state(a + "%2: int = const 6\n%3: int = and %0, %2\n" + store + "%3\n"), "none")
        << "not low bits";
    EXPECT_EQ(state(a + "%2: int = const 7\n%3: int = and %0, %2\n%4: int = add %3, %1\n" + store +
                    "%4\n"),
              "none")
        << "a sum behind a mask";
    EXPECT_EQ(
        state(a + sum + store + "%2\n%3: boolean = gt<int> %0, %1\nif %3 {\n" + store + "%1\n}\n"),
        "none")
        << "a branch";
    EXPECT_EQ(state(a + sum + store + "%2\n" + store + "%0\n"), "none") << "twice";
    EXPECT_EQ(state(a + sum + store + "%2\n%3: float = load field f\nstore<float> field f, %3\n"),
              "none");
    EXPECT_EQ(state(a + sum + store +
                    "%2\n%3: ref int[4] = addr field t\n%4: int = const 4\n"
                    "%5: int = const 0\n%6: ref int = elem %3, %5, %4\nstore.at<int> %6, %5\n"),
              "none")
        << "an array";
    EXPECT_EQ(state(a +
                    "%2: boolean = gt<int> %0, %1\nif %2 {\nstore<int> local x, %1\n}\n"
                    "%3: int = load local x\n%4: int = add %0, %3\n" +
                    store + "%4\n"),
              "none")
        << "a local that a branch stores";
    EXPECT_EQ(state(a +
                    "store<int> local x, %0\ndeclare<int> local x\n%2: int = load local x\n"
                    "%3: int = add %2, %1\n" +
                    store + "%3\n"),
              "none")
        << "a local that begins anew";
}

TEST(AffineField, ManyFiringsAtOnce) {
    const AffineField one{0, 1103515245, 12345, UINT32_MAX};
    std::uint32_t x = 99;
    for (int firings = 1; firings <= 70; ++firings) {
        x = x * one.factor + one.summand;
        const AffineField all = one.times(firings);
        EXPECT_EQ(99 * all.factor + all.summand, x) << firings;
    }
}

}  // namespace
}  // namespace strc::ir
