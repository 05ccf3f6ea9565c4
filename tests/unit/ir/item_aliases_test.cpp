#include "ir/item_aliases.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace strc::ir {
namespace {

/// What is found about the work of a filter float[4]->float[4] with the arrays `a` and `b`.
class ItemAliasesTest : public testing::Test {
protected:
    std::string places(const std::string& work) {
        const std::string text =
            "native P.see(tensor) -> void\nnative P.fill(int[4]) -> void\n"
            "filter F float[4]->float[4] {\n setup {\n }\n work {\n local a: float[4]\n"
            " local b: float[4]\n local n: int\n %0: ref float[4] = addr local a\n"
            " %1: ref float[4] = addr local b\n %2: int = const 3\n %3: int = const 4\n"
            " %4: boolean = const true\n" +
            work + " }\n}\n";
        auto module = parse(text, types, names);
        EXPECT_TRUE(module) << module.error();
        if (!module) return {};
        const Body& body = *module->streams[0].work;
        const ItemAliases found = findItemAliases(body);
        EXPECT_EQ(found.moves.size(), found.locals.size());
        std::string list;
        for (const auto& [local, place] : found.locals)
            list += body.locals[local].name + (place.isOutput ? " out " : " in ") +
                    std::to_string(place.index) + "; ";
        return list;
    }

    const std::string popA = "pop.into<float[4]> %0\n", pushB = "push.from<float[4]> %1\n";
    const std::string readA = "%10: ref float = elem %0, %2, %3\n %11: float = load.at %10\n";
    const std::string writeA =
        "%20: ref float = elem %0, %2, %3\n %21: float = const 1.0\n"
        " store.at<float> %20, %21\n";
    const std::string writeB =
        "%30: ref float = elem %1, %2, %3\n %31: float = const 1.0\n"
        " store.at<float> %30, %31\n";

    types::TypeTable types;
    base::NameTable names;
};

TEST_F(ItemAliasesTest, ReadAndWritten) {
    EXPECT_EQ(places(popA + readA + writeB + pushB), "a in 0; b out 0; ");
    EXPECT_EQ(places(popA + readA + "copy<float[4]> %1, %0\n" + pushB), "a in 0; b out 0; ");
}

TEST_F(ItemAliasesTest, WhichItem) {
    EXPECT_EQ(places("discard<float[4]>\n" + popA + "push.from<float[4]> %0\n" + writeB + pushB),
              "a in 1; b out 1; ");
}

TEST_F(ItemAliasesTest, WhatIsWrittenIsNoItem) {
    EXPECT_EQ(places(popA + writeA), "");
    EXPECT_EQ(places(popA + "zero<float[4]> %0\n"), "");
    EXPECT_EQ(places(popA + "copy<float[4]> %0, %1\n"), "");
    EXPECT_EQ(places(popA + popA), "");
}

TEST_F(ItemAliasesTest, WhatIsUsedAgainIsNotPushedYet) {
    EXPECT_EQ(places(writeB + pushB + pushB), "");
    EXPECT_EQ(places(pushB + writeB), "");
    EXPECT_EQ(places("if %4 {\n" + pushB + "}\n"), "");
}

TEST_F(ItemAliasesTest, WhichItemHasToBeKnown) {
    EXPECT_EQ(places("if %4 {\n discard<float[4]>\n }\n" + popA + writeB + pushB), "b out 0; ");
    EXPECT_EQ(places("if %4 {\n" + pushB + "}\n push.from<float[4]> %0\n"), "");
}

TEST_F(ItemAliasesTest, NativesOnlyReadTensors) {
    const std::string seen = "%40: ref tensor<float>[4] = addr local a\n call native P.see(%40)\n";
    EXPECT_EQ(places(popA + seen + writeB + pushB), "a in 0; b out 0; ");
    EXPECT_EQ(places(popA + "call native P.fill(%0)\n" + writeB + pushB), "b out 0; ");
}

TEST_F(ItemAliasesTest, AnItemThatGoesOnIsCopied) {
    EXPECT_EQ(places(popA + "push.from<float[4]> %0\n"), "a in 0; ");
}

}  // namespace
}  // namespace strc::ir
