#include "ir/contraction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/ir/text_fixture.h"

namespace strc::ir {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// The product of a matrix of 2 x 3 and one of 3 x 4.
constexpr const char* kProduct = R"(filter F float->float {
    work {
        local y: float[8]
        local a: float[6]
        local b: float[12]
        %0: ref float[8] = addr local y
        %1: ref float[6] = addr local a
        %2: ref float[12] = addr local b
        contract<int[4][4]> {{0, 0, 0, 0}, {2, 4, 3, 0}, {4, 1, 0, 1}, {3, 0, 1, 4}} %0, %1, %2
    }
}
)";

using ContractionText = TextTest;

TEST_F(ContractionText, ReadsBackAsItIsPrinted) {
    EXPECT_THAT(
        print(read(kProduct)),
        HasSubstr(
            "contract<int[4][4]> {{0, 0, 0, 0}, {2, 4, 3, 0}, {4, 1, 0, 1}, {3, 0, 1, 4}} %0, "
            "%1, %2\n"));
    EXPECT_THAT(faults(kProduct), IsEmpty());
}

TEST_F(ContractionText, SaysItsLoops) {
    Module module = read(kProduct);
    const Instr& instr = module.streams.at(0).work->blocks[0].instrs.back();
    const Contraction product = contractionOf(instr);
    ASSERT_EQ(product.loops.size(), 3u);
    EXPECT_EQ(product.loops[2].trips, 3);
    EXPECT_EQ(product.loops[2].b, 4);
    EXPECT_EQ(countProducts(product), 24);
    EXPECT_EQ(toValue(product, types), instr.value);
}

/// The same with a bias, a residual and relu6.
constexpr const char* kEpilogue = R"(filter F float->float {
    work {
        local y: float[8]
        local a: float[6]
        local b: float[12]
        local bias: float[5]
        local residual: float[8]
        %0: ref float[8] = addr local y
        %1: ref float[6] = addr local a
        %2: ref float[12] = addr local b
        %3: ref float[5] = addr local bias
        %4: ref float[8] = addr local residual
        contract<int[5][6]> {{1, 0, 0, 0, 1, 0}, {2, 4, 3, 0, 0, 4}, {4, 1, 0, 1, 1, 1}, {3, 0, 1, 4, 0, 0}, {0, 1086324736, 0, 0, 0, 0}} %0, %1, %2, %3, %4
    }
}
)";

TEST_F(ContractionText, EpilogueReadsBack) {
    const std::string text = kEpilogue;
    EXPECT_THAT(faults(text), IsEmpty());
    Module module = read(text);
    const Instr& instr = module.streams.at(0).work->blocks[0].instrs.back();
    const Contraction product = contractionOf(instr);
    EXPECT_TRUE(product.hasEpilogue());
    ASSERT_EQ(product.addends, 2u);
    EXPECT_EQ(product.added[0], 1);
    ASSERT_EQ(product.loops.size(), 3u);
    EXPECT_EQ(product.loops[1].added, (std::array<std::int32_t, 2>{1, 1}));
    EXPECT_EQ(product.bounds, (Bounds{0, 6}));
    EXPECT_EQ(toValue(product, types), instr.value);
    EXPECT_FALSE(Contraction{}.hasEpilogue());
}

TEST_F(ContractionText, TheVerifierLooksAtEpilogues) {
    EXPECT_THAT(faults(replaced(kEpilogue, "{1, 0, 0, 0, 1, 0}", "{1, 0, 0, 0, 2, 0}")),
                testing::Contains(HasSubstr("places outside of an array")));
    EXPECT_THAT(faults(replaced(kEpilogue, " %0, %1, %2, %3, %4", " %0, %1, %2, %3")),
                testing::Contains(HasSubstr("operands do not fit")));
    EXPECT_THAT(faults(replaced(replaced(kEpilogue, "local bias: float[5]", "local bias: int[5]"),
                                "%3: ref float[5]", "%3: ref int[5]")),
                testing::Contains(HasSubstr("operands do not fit")));
}

TEST_F(ContractionText, PartsReadBack) {
    const std::string text =
        replaced(replaced(kProduct, "int[4][4]> {{0, 0, 0, 0}", "int[5][4]> {{2, 0, 0, 0}"),
                 "{3, 0, 1, 4}}", "{3, 0, 1, 4}, {1, 3, 0, 0}}");
    EXPECT_THAT(faults(text), IsEmpty());
    Module module = read(text);
    const Instr& instr = module.streams.at(0).work->blocks[0].instrs.back();
    const Contraction product = contractionOf(instr);
    ASSERT_TRUE(product.parts);
    EXPECT_EQ(product.parts->loop, 1u);
    EXPECT_EQ(product.parts->trips, 3);
    EXPECT_EQ(product.loops.size(), 3u);
    EXPECT_FALSE(product.hasEpilogue());
    EXPECT_EQ(toValue(product, types), instr.value);
    EXPECT_THAT(faults(replaced(text, "{1, 3, 0, 0}}", "{2, 1, 0, 0}}")), IsEmpty())
        << "of the loop that sums";
    for (const std::string wrong : {"{3, 1, 0, 0}}", "{1, 0, 0, 0}}"})
        EXPECT_THAT(faults(replaced(text, "{1, 3, 0, 0}}", wrong)),
                    testing::Contains(HasSubstr("no parts of that loop")))
            << wrong;
}

TEST_F(ContractionText, BoundsAndPartsReadBack) {
    Contraction both{0, 0, 0, {{2, 4, 3, 0}, {4, 1, 0, 1}, {3, 0, 1, 4}}};
    both.bounds = {0, 6};
    both.parts = {0, 1};
    Instr instr;
    instr.value = toValue(both, types);
    const Contraction back = contractionOf(instr);
    EXPECT_EQ(back.bounds, both.bounds);
    ASSERT_TRUE(back.parts);
    EXPECT_EQ(back.parts->loop, 0u);
    EXPECT_EQ(back.loops.size(), 3u);
}

/// A convolution of 8 numbers with 3 windows, each of 2 numbers that are 2 apart.
constexpr const char* kWindows = R"(filter F float->float {
    work {
        local y: float[3]
        local a: float[8]
        local b: float[2]
        %0: ref float[3] = addr local y
        %1: ref float[8] = addr local a
        %2: ref float[2] = addr local b
        contract<int[4][4]> {{4, 0, 0, 0}, {3, 1, 2, 0}, {2, 0, 2, 1}, {0, 1, 1, 0}} %0, %1, %2
    }
}
)";

TEST_F(ContractionText, WindowsReadBack) {
    EXPECT_THAT(faults(kWindows), IsEmpty());
    Module module = read(kWindows);
    const Instr& instr = module.streams.at(0).work->blocks[0].instrs.back();
    const Contraction convolution = contractionOf(instr);
    EXPECT_EQ(convolution.windows, (std::vector<Window>{{0, 1, 1}}));
    EXPECT_EQ(convolution.loops.size(), 2u);
    EXPECT_EQ(toValue(convolution, types), instr.value);
}

TEST_F(ContractionText, TheVerifierLooksAtWindows) {
    for (const std::string wrong :
         {"{1, 0, 1, 0}}", "{0, 2, 1, 0}}", "{0, 1, 4, 0}}", "{0, 1, 0, 0}}"})
        EXPECT_THAT(faults(replaced(kWindows, "{0, 1, 1, 0}}", wrong)),
                    testing::Contains(HasSubstr("no windows of those loops")))
            << wrong;
}

TEST_F(ContractionText, WithoutSingleLoopsTheOthersKeepTheirParts) {
    Contraction how{0, 0, 0, {{1, 9, 9, 0}, {3, 1, 2, 0}, {1, 0, 5, 5}, {2, 0, 2, 1}}};
    how.windows = {{0, 2, 5}, {1, 3, 2}};
    how.parts = {1, 2};
    dropSingleLoops(how);
    ASSERT_EQ(how.loops.size(), 2u);
    EXPECT_EQ(how.windows, (std::vector<Window>{{std::nullopt, std::nullopt, 5}, {0, 1, 2}}));
    EXPECT_EQ(how.parts->loop, 0u);
    EXPECT_TRUE(swapped(how).windows.empty()) << "they are cut from a";
}

TEST_F(ContractionText, PlacesLieInsideOfTheArrays) {
    const Contraction product{0, 0, 0, {{2, 4, 3, 0}, {4, 1, 0, 1}, {3, 0, 1, 4}}};
    EXPECT_TRUE(fits(product, 8, 6, 12));
    EXPECT_FALSE(fits(product, 7, 6, 12));
    EXPECT_FALSE(fits(product, 8, 5, 12));
    EXPECT_FALSE(fits(product, 8, 6, 11));
    EXPECT_TRUE(fits({3, 0, 0, {{4, -1, 1, 1}}}, 4, 4, 4)) << "backwards";
    EXPECT_FALSE(fits({2, 0, 0, {{4, -1, 1, 1}}}, 4, 4, 4));
    EXPECT_FALSE(fits({0, 0, 0, {{0, 1, 1, 1}}}, 4, 4, 4)) << "nothing is summed up";
}

TEST_F(ContractionText, TheVerifierLooksAtPlacesAndTypes) {
    EXPECT_THAT(faults(replaced(kProduct, "{3, 0, 1, 4}", "{4, 0, 1, 4}")),
                testing::Contains(HasSubstr("places outside of an array")));
    EXPECT_THAT(faults(replaced(replaced(kProduct, "local a: float[6]", "local a: int[6]"),
                                "%1: ref float[6]", "%1: ref int[6]")),
                testing::Contains(HasSubstr("operands do not fit")));
}

/// The second row of that product.
constexpr const char* kPart = R"(filter F float->float {
    work {
        local y: float[8]
        local a: float[6]
        local b: float[12]
        %0: ref float[8] = addr local y
        %1: ref float[6] = addr local a
        %2: ref float[12] = addr local b
        %3: int = const 1
        %4: int = const 2
        %5: ref float[4] = elem %0, %3, %4 unchecked
        %6: ref float[3] = elem %1, %3, %4 unchecked
        contract<int[4][4]> {{0, 0, 0, 0}, {1, 4, 3, 0}, {4, 1, 0, 1}, {3, 0, 1, 4}} %5, %6, %2
    }
}
)";

TEST_F(ContractionText, TakesEqualPartsOfArrays) {
    EXPECT_THAT(faults(kPart), IsEmpty());
    EXPECT_THAT(print(read(kPart)), HasSubstr("%5: ref float[4] = elem %0, %3, %4 unchecked\n"));
    for (const std::string wrong :
         {"ref float[3] = elem %0", "ref int[4] = elem %0", "ref float[8][1] = elem %0"})
        EXPECT_THAT(faults(replaced(kPart, "ref float[4] = elem %0", wrong)),
                    testing::Contains(HasSubstr("neither an element nor a part of the array")))
            << wrong;
}

}  // namespace
}  // namespace strc::ir
