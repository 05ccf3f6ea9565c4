#include "ir/apart_parameters.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

/// What is found about functions of a filter with two fields, arrays of ints, and those of `work`.
class ApartParametersTest : public testing::Test {
protected:
    /// By function, a letter for each parameter: `a` for those apart.
    std::string apart(const std::string& work, const std::string& functions = kFunction) {
        const std::string text =
            "filter F int->int {\n field x: int[4]\n field y: int[4]\n setup {\n }\n work {\n"
            " local a: int[4]\n" +
            work + " }\n" + functions + "}\n";
        auto module = parse(text, types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        const StreamCode& code = module->streams[0];
        const Body* callers[] = {&*code.work};
        std::string all;
        for (const std::vector<bool>& parameters : apartParameters(code.functions, callers)) {
            for (bool is : parameters) all += is ? 'a' : '-';
            all += ' ';
        }
        return all;
    }

    static constexpr const char* kFunction = "function f(p: int[4], q: int[4], n: int) {\n }\n";
    const std::string refs =
        "%0: ref int[4] = addr field x\n %1: ref int[4] = addr field y\n"
        "%2: ref int[4] = addr local a\n %3: int = const 1\n";

    types::TypeTable types;
    base::NameTable names;
};

TEST_F(ApartParametersTest, DifferentVariables) {
    EXPECT_EQ(apart(refs + "call<void> stream f(%0, %1, %3)\n"), "aa- ");
    EXPECT_EQ(apart(refs + "call<void> stream f(%2, %1, %3)\n"), "aa- ");
}

TEST_F(ApartParametersTest, EveryCallCounts) {
    EXPECT_EQ(apart(refs + "call<void> stream f(%0, %1, %3)\n"
                           "call<void> stream f(%1, %1, %3)\n"),
              "--- ");
}

TEST_F(ApartParametersTest, FieldsThatTheFunctionUsesItself) {
    const std::string uses =
        "function f(p: int[4], q: int[4], n: int) {\n %0: ref int[4] = addr field x\n }\n";
    EXPECT_EQ(apart(refs + "call<void> stream f(%0, %2, %3)\n", uses), "-a- ");
    const std::string calls =
        "function f(p: int[4], q: int[4], n: int) {\n call<void> stream g()\n }\n"
        "function g() {\n %0: ref int[4] = addr field x\n }\n";
    EXPECT_EQ(apart(refs + "call<void> stream f(%0, %2, %3)\n", calls), "-a-  ");
}

TEST_F(ApartParametersTest, WindowsAreSeenByAll) {
    const std::string windows =
        "%4: ref int[4] = addr input\n %5: ref int[4] = addr output\n"
        "call<void> stream f(%4, %5, %3)\n";
    EXPECT_EQ(apart(refs + windows), "aa- ");
    EXPECT_EQ(apart(refs + windows,
                    "function f(p: int[4], q: int[4], n: int) {\n %0: int = load local n\n "
                    "push<int> %0\n }\n"),
              "--- ");
    EXPECT_EQ(apart(refs + windows,
                    "function f(p: int[4], q: int[4], n: int) {\n"
                    "%0: ref int[4] = addr local q\n %1: ref int[4] = addr input\n"
                    "call<void> stream g(%0, %1)\n }\n"
                    "function g(r: int[4], s: int[4]) {\n }\n"),
              "--- -- ")
        << "for all that f knows";
}

TEST_F(ApartParametersTest, WhatIsHandedOn) {
    const std::string handsOn =
        "function f(p: int[4], q: int[4], n: int) {\n"
        "%0: ref int[4] = addr local p\n %1: ref int[4] = addr local q\n"
        "call<void> stream g(%0, %1)\n }\n"
        "function g(r: int[4], s: int[4]) {\n }\n";
    EXPECT_EQ(apart(refs + "call<void> stream f(%0, %1, %3)\n", handsOn), "aa- aa ");
    EXPECT_EQ(apart(refs + "call<void> stream f(%0, %0, %3)\n", handsOn), "--- -- ");
    const std::string both =
        "function f(p: int[4], q: int[4], n: int) {\n"
        "%0: ref int[4] = addr local p\n %1: ref int[4] = addr field y\n"
        "call<void> stream g(%0, %1)\n }\n"
        "function g(r: int[4], s: int[4]) {\n }\n";
    EXPECT_EQ(apart(refs + "call<void> stream f(%2, %2, %3)\n", both), "--- -- ")
        << "what p leads to may be a field for all that g knows";
    EXPECT_EQ(apart(refs + "call<void> stream f(%2, %0, %3)\n", both), "a-- aa ");
}

}  // namespace
}  // namespace strc::ir
