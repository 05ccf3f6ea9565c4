#include "ir/vector_loops.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

/// What is found in a loop over `j` of a filter float->float with fields `table` and `state`.
class VectorLoopsTest : public testing::Test {
protected:
    std::string loops(const std::string& inside) {
        const std::string text =
            "filter F float->float {\n field table: float[99]\n field state: float\n setup {\n }\n"
            " work {\n local j: int\n local k: int\n local s: float\n local x: float\n"
            " %0: int = const 0\n store<int> local j, %0\n loop {\n %1: int = load local j\n"
            " %2: int = const 48\n %3: boolean = lt<int> %1, %2\n yield %3\n } do {\n" +
            inside +
            " } step {\n %4: int = load local j\n %5: int = const 1\n %6: int = add %4, %5\n"
            " store<int> local j, %6\n }\n }\n}\n";
        auto module = parse(text, types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        const Body& body = *module->streams[0].work;
        std::string found;
        for (const VectorLoop& loop : findVectorLoops(body)) {
            found += print(body, loop);
            for (std::int64_t stride : loop.peekStrides) found += " +" + std::to_string(stride);
        }
        return found;
    }

    /// for (k = 0; k < 9; k++) s += what `item` makes, as %20
    std::string sum(const std::string& item) {
        return "%7: float = const 0.0\n store<float> local s, %7\n"
               "%8: int = const 0\n store<int> local k, %8\n loop {\n %9: int = load local k\n"
               "%10: int = const 9\n %11: boolean = lt<int> %9, %10\n yield %11\n } do {\n" +
               item +
               "%21: float = load local s\n %22: float = add %21, %20\n store<float> local s, %22\n"
               "} step {\n %12: int = load local k\n %13: int = const 1\n"
               "%14: int = add %12, %13\n store<int> local k, %14\n }\n";
    }
    const std::string push = "%30: float = load local s\n push<float> %30\n";
    const std::string atSum =
        "%15: int = load local j\n %16: int = load local k\n %17: int = add %15, %16\n";

    types::TypeTable types;
    base::NameTable names;
};

TEST_F(VectorLoopsTest, SumsOfWindows) {
    EXPECT_EQ(loops(sum(atSum + "%20: float = peek %17\n") + push),
              "rounds of j: varying: %15 %17 %20 %21 %22 %30 j s +1");
}

TEST_F(VectorLoopsTest, StridesOfProducts) {
    EXPECT_EQ(loops(sum("%15: int = load local j\n %16: int = const 48\n %17: int = mul %15, %16\n"
                        "%18: int = load local k\n %19: int = add %17, %18\n"
                        "%20: float = peek %19\n") +
                    push),
              "rounds of j: varying: %15 %17 %19 %20 %21 %22 %30 j s +48");
    EXPECT_EQ(loops(sum("%15: int = load local j\n %17: int = mul %15, %15\n"
                        "%20: float = peek %17\n") +
                    push),
              "");
}

TEST_F(VectorLoopsTest, ElementsSideBySide) {
    const std::string element =
        "%23: ref float[99] = addr field table\n %24: int = const 99\n"
        "%25: ref float = elem %23, %17, %24\n";
    EXPECT_EQ(loops(sum(atSum + element + "%20: float = load.at %25\n") + push),
              "rounds of j: varying: %15 %17 %20 %21 %22 %25 %30 j s");
    EXPECT_EQ(loops(sum(atSum + element + "%20: float = load.at %25\n") + push +
                    "%31: ref float[99] = addr field table\n"
                    "%32: ref float = elem %31, %2, %2\n store.at<float> %32, %7\n"),
              "");
}

TEST_F(VectorLoopsTest, NothingThatPassesFromRoundToRound) {
    const std::string sums = sum(atSum + "%20: float = peek %17\n");
    EXPECT_EQ(loops(sums + push + "store<float> field state, %30\n"), "");
    EXPECT_EQ(loops("%31: float = load local x\n" + sums + push + "store<float> local x, %30\n"),
              "");
    EXPECT_EQ(loops(sums + push + "%31: float = pop\n"), "");
    EXPECT_EQ(loops(sums + push + "push<float> %30\n"), "");
    EXPECT_EQ(loops(sums), "");
}

TEST_F(VectorLoopsTest, SumsAlone) {
    EXPECT_EQ(loops("%7: int = load local j\n %8: float = peek %7\n push<float> %8\n"), "");
}

}  // namespace
}  // namespace strc::ir
