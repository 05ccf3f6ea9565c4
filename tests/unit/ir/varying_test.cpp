#include "ir/varying.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

/// What is found about the work of a filter float->float with a field `table`.
class VaryingTest : public testing::Test {
protected:
    std::string lanes(const std::string& work) {
        const std::string text =
            "filter F float->float {\n field table: float[4]\n setup {\n }\n work {\n" + work +
            " }\n}\n";
        auto module = parse(text, types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        const Body& body = *module->streams[0].work;
        return print(body, findVarying(body));
    }

    types::TypeTable types;
    base::NameTable names;
};

TEST_F(VaryingTest, WhatComesFromItemsVaries) {
    EXPECT_EQ(lanes("local x: float\n local n: int\n"
                    "%0: int = const 2\n store<int> local n, %0\n"
                    "%1: float = pop\n %2: float = convert %0\n %3: float = mul %1, %2\n"
                    "store<float> local x, %3\n %4: float = load local x\n"
                    "%5: int = load local n\n %6: float = peek %5\n"
                    "push<float> %4\n"),
              "varying: %1 %3 %4 %6 x");
}

TEST_F(VaryingTest, WhatIsStoredOnAVaryingConditionVaries) {
    const std::string test =
        "%0: float = pop\n %1: float = const 0.0\n %2: boolean = lt<float> %0, %1\n";
    EXPECT_EQ(lanes("local n: int\n" + test +
                    "if %2 {\n %3: int = const 1\n store<int> local n, %3\n }\n"),
              "varying: %0 %2 n");
    EXPECT_EQ(lanes(test + "%3: float = if %2 {\n yield %1\n } else {\n yield %1\n }\n"),
              "varying: %0 %2 %3");
}

TEST_F(VaryingTest, WhatVariesInALoopVariesBeforeItToo) {
    EXPECT_EQ(lanes("local s: float\n local more: boolean\n"
                    "loop {\n %0: boolean = load local more\n yield %0\n } do {\n"
                    "%1: float = load local s\n %2: float = pop\n %3: float = add %1, %2\n"
                    "store<float> local s, %3\n }\n"),
              "varying: %1 %2 %3 s");
}

TEST_F(VaryingTest, ElementsByAVaryingIndex) {
    const std::string index = "%0: float = pop\n %1: int = convert %0\n %2: int = const 4\n";
    EXPECT_EQ(
        lanes(index + "%3: ref float[4] = addr field table\n %4: ref float = elem %3, %1, %2\n"
                      "%5: float = load.at %4\n"),
        "varying: %0 %1 %4 %5");
    EXPECT_EQ(lanes("local own: float[4]\n" + index +
                    "%3: ref float[4] = addr local own\n %4: ref float = elem %3, %1, %2\n"
                    "%5: float = const 1.0\n store.at<float> %4, %5\n"
                    "%6: ref float = elem %3, %2, %2\n %7: float = load.at %6\n"),
              "varying: %0 %1 %4 %7 own");
}

TEST_F(VaryingTest, WhatCannotBeDone) {
    const std::string varying =
        "%0: float = pop\n %1: float = const 0.0\n %2: boolean = lt<float> %0, %1\n";
    EXPECT_EQ(lanes("%0: ref float[4] = addr field table\n %1: int = const 0\n %2: int = const 4\n"
                    "%3: ref float = elem %0, %1, %2\n %4: float = pop\n store.at<float> %3, %4\n"),
              "none: it has state");
    EXPECT_EQ(lanes(varying + "newline\n"), "none: it has effects of other kinds");
    EXPECT_EQ(lanes(varying + "if %2 {\n return\n }\n"), "none: a firing ends in some lanes");
    EXPECT_EQ(lanes("loop {\n %0: boolean = const true\n yield %0\n } do {\n %1: float = pop\n"
                    "%2: boolean = lt<float> %1, %1\n if %2 {\n break\n }\n }\n"),
              "none: a loop ends in some lanes");
    EXPECT_EQ(
        lanes(
            "loop {\n %0: float = pop\n %1: boolean = lt<float> %0, %0\n yield %1\n } do {\n }\n"),
        "none: a loop's condition varies");
    EXPECT_EQ(lanes("%0: float = pop\n %1: float2 = make %0, %0\n"),
              "none: values of type float2 vary");
}

TEST_F(VaryingTest, ItemsOfOtherTypes) {
    EXPECT_EQ(lanes("%0: float = const 1.0\n %1: float2 = make %0, %0\n push<float2> %1\n"),
              "none: values of type float2 vary");
    EXPECT_EQ(
        lanes("local z: float2[2]\n %0: float = const 1.0\n %1: float2 = make %0, %0\n"
              "%2: ref float2[2] = addr local z\n %3: float = pop\n %4: int = convert %3\n"
              "%5: int = const 2\n %6: ref float2 = elem %2, %4, %5\n store.at<float2> %6, %1\n"),
        "none: values of type float2 vary");
}

TEST_F(VaryingTest, LoopsInsideOfBranchesMayEnd) {
    EXPECT_EQ(lanes("%0: float = pop\n %1: boolean = lt<float> %0, %0\n if %1 {\n"
                    "loop {\n %2: boolean = const true\n yield %2\n } do {\n"
                    "%3: boolean = const true\n if %3 {\n break\n }\n }\n }\n"),
              "varying: %0 %1");
}

}  // namespace
}  // namespace strc::ir
