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

/// In the lower form outputs are arrays that are parameters, with places that are counted.
TEST_F(IfConversionTest, ElementsOfParameters) {
    auto function = [&](const std::string& then, const std::string& otherwise) {
        const std::string text =
            "filter F int->int {\n setup {\n }\n work {\n }\n"
            "function f(in: int[4], out: int[4], at: int) {\n"
            " %0: ref int[4] = addr local in\n %1: int = const 4\n %2: int = load local at\n"
            " %3: ref int = elem %0, %2, %1\n %4: int = load.at %3\n"
            " %5: boolean = lt<int> %4, %1\n %6: ref int[4] = addr local out\n"
            " %7: ref int = elem %6, %2, %1\n if %5 {\n" +
            then + "} else {\n" + otherwise + "}\n }\n}\n";
        auto module = parse(text, types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return std::string();
        const Body& body = module->streams[0].functions[0];
        return print(body, findIfConversion(body, false));
    };
    const std::string store = "store.at<int> %7, %4\n";
    EXPECT_EQ(function(store, ""), "selected: %5");
    EXPECT_EQ(function(store + "%8: int = add %2, %1\n store<int> local at, %8\n", ""),
              "selected: %5");
    EXPECT_EQ(function(store, store), "none") << "LLVM chooses the value";
    EXPECT_EQ(function(store, store + store), "selected: %5");
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
