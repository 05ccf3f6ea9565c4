#include "ir/if_conversion.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

/// What is found about the work of a filter int->int with a field `table` and a local array `a`.
class IfConversionTest : public testing::Test {
protected:
    std::string ifConversion(const std::string& work, bool mayPush = true) {
        const std::string text =
            "filter F int->int {\n field table: int[4]\n setup {\n }\n work {\n local a: int[4]\n"
            " local n: int\n" +
            work + " }\n}\n";
        auto module = parse(text, types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        const Body& body = *module->streams[0].work;
        return print(body, findIfConversion(body, mayPush));
    }

    const std::string test = "%0: int = pop\n %1: int = const 3\n %2: boolean = lt<int> %0, %1\n";
    const std::string toArray =
        "%5: ref int[4] = addr local a\n %6: int = load local n\n %7: int = const 4\n"
        "%8: ref int = elem %5, %6, %7\n store.at<int> %8, %0\n";

    types::TypeTable types;
    base::NameTable names;
};

TEST_F(IfConversionTest, PushesOfOneSide) {
    EXPECT_EQ(ifConversion(test + "if %2 {\n push<int> %0\n }\n"), "selected: %2");
    EXPECT_EQ(ifConversion(test + "if %2 {\n push<int> %0\n } else {\n " + toArray + "}\n"),
              "selected: %2");
    EXPECT_EQ(ifConversion(test + "if %2 {\n push<int> %0\n }\n", false), "none");
}

TEST_F(IfConversionTest, WhatLlvmDoes) {
    EXPECT_EQ(ifConversion(test + "if %2 {\n push<int> %0\n } else {\n push<int> %1\n }\n"),
              "none");
    EXPECT_EQ(ifConversion(test + "if %2 {\n store<int> local n, %0\n }\n"), "none");
}

TEST_F(IfConversionTest, ConditionsThatItemsDoNotDecide) {
    const std::string count =
        "%0: int = load local n\n %1: int = const 3\n %2: boolean = lt<int> %0, %1\n";
    EXPECT_EQ(ifConversion(count + "if %2 {\n push<int> %0\n }\n"), "none");
    EXPECT_EQ(ifConversion(count + "if %2 {\n push<int> %0\n }\n %3: int = pop\n"
                                   "store<int> local n, %3\n"),
              "selected: %2");
}

TEST_F(IfConversionTest, WhatIsChosenByDataIsData) {
    EXPECT_EQ(ifConversion(test + "if %2 {\n store<int> local n, %1\n }\n %3: int = load local n\n"
                                  "%4: boolean = lt<int> %3, %1\n if %4 {\n push<int> %0\n }\n"),
              "selected: %4");
}

TEST_F(IfConversionTest, SidesThatAreNotDoneForNothing) {
    for (const char* side :
         {"%3: int = pop\n push<int> %3\n", "%3: int = div %0, %1\n push<int> %3\n",
          "print<int> %0\n push<int> %0\n",
          "%3: ref int[4] = addr field table\n %4: int = const 4\n %5: ref int = elem %3, %0, %4\n"
          " store.at<int> %5, %0\n"})
        EXPECT_EQ(ifConversion(test + "if %2 {\n " + side + " }\n"), "none") << side;
    std::string many;
    for (int k = 3; k < 20; ++k) many += "%" + std::to_string(k) + ": int = add %0, %1\n";
    EXPECT_EQ(ifConversion(test + "if %2 {\n push<int> %0\n " + many + " }\n"), "none");
}

}  // namespace
}  // namespace strc::ir
