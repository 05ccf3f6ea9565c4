// Filters as text of the IR, before and after.
#include "tensor/expand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/pass.h"
#include "ir/text.h"
#include "ir/verify.h"

namespace strc::tensor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ExpandTest : public testing::Test {
protected:
    /// A filter tensor->tensor with that work, to which matrices of 2x3 come; "" or the fault.
    std::string expand(const std::string& work) {
        auto read =
            ir::parse("filter F tensor -> tensor {\n  setup {\n  }\n  work {\n" + work + "  }\n}\n",
                      types, names);
        EXPECT_TRUE(read) << read.error();
        if (!read) return "not read";
        module = std::move(*read);
        ir::StreamCode& code = module.streams[0];
        const Arriving arriving{{}, {types.tensor(types.floatType(), {2, 3})}, {}, false, &passes};
        pushed.clear();
        std::optional<Fault> fault = inferWork(code, arriving, pushed, types);
        Storages storages(types, names.intern("tensors"));
        const Channels channels{
            storages.of({arriving.input[0]}),
            pushed.empty() ? nullptr : storages.of({pushed.begin(), pushed.end()})};
        if (!fault) fault = expandWork(code, arriving, channels, types);
        if (fault) return fault->subject + ": " + fault->why;
        for (const std::string& each : ir::verify(module)) ADD_FAILURE() << each;
        text = ir::print(module);
        return "";
    }

    std::size_t count(const std::string& what) const {
        std::size_t found = 0;
        for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
        return found;
    }

    types::TypeTable types;
    base::NameTable names;
    base::Passes passes;
    ir::Module module;
    Sequence pushed;
    std::string text;
};

TEST_F(ExpandTest, AChainIsOneNestOverOneDimension) {
    ASSERT_EQ(expand(R"(
    %0: tensor = pop
    %1: tensor = tensor neg %0
    %2: tensor = tensor relu %1
    %3: tensor = tensor add %2, %0
    push<tensor> %3
)"),
              "");
    EXPECT_EQ(count("loop"), 1u) << text;
    EXPECT_THAT(text, HasSubstr("const 6"));
    EXPECT_THAT(text, Not(HasSubstr("tensor")));
}

TEST_F(ExpandTest, WhatIsUsedTwiceIsComputedOnce) {
    ASSERT_EQ(expand(R"(
    %0: tensor = pop
    %1: tensor = tensor math sin %0
    %2: tensor = tensor mul %1, %1
    push<tensor> %2
)"),
              "");
    EXPECT_EQ(count("math sin"), 1u) << text;
    EXPECT_EQ(count("loop"), 2u) << text;
}

TEST_F(ExpandTest, ASumTakesAlongWhatStandsBeforeAndBehind) {
    ASSERT_EQ(expand(R"(
    %0: tensor = pop
    %1: tensor = tensor mul %0, %0
    %2: int = const 1
    %3: tensor = tensor sum %1, %2
    %4: tensor = tensor math sqrt %3
    push<tensor> %4
)"),
              "");
    EXPECT_EQ(pushed, Sequence{types.tensor(types.floatType(), {2})});
    EXPECT_EQ(count("loop"), 2u) << text;  // rows, and the sum in each
}

TEST_F(ExpandTest, ViewsAreIndices) {
    ASSERT_EQ(expand(R"(
    %0: tensor = pop
    %1: int = const 0
    %2: int = const 1
    %3: tensor = tensor transpose %0, %1, %2
    push<tensor> %3
)"),
              "");
    EXPECT_EQ(pushed, Sequence{types.tensor(types.floatType(), {3, 2})});
    EXPECT_EQ(count("loop"), 2u) << text;
}

TEST_F(ExpandTest, ReshapingMemoryCostsACopyAtMost) {
    ASSERT_EQ(expand(R"(
    %0: tensor = pop
    %1: int = const 6
    %2: tensor = tensor reshape %0, %1
    push<tensor> %2
)"),
              "");
    EXPECT_EQ(count("loop"), 1u) << text;
}

TEST_F(ExpandTest, DifferentItemsShareAChannelOfTheLargest) {
    ASSERT_EQ(expand(R"(
    %0: tensor = pop
    %1: tensor = tensor sum %0
    push<tensor> %1
    push<tensor> %0
)"),
              "");
    ASSERT_EQ(pushed.size(), 2u);
    EXPECT_EQ(module.streams[0].output, types.array(types.floatType(), 6));
}

TEST_F(ExpandTest, FaultsNameTheOperation) {
    EXPECT_EQ(expand(R"(
    %0: tensor = pop
    %1: tensor = tensor matmul %0, %0
    push<tensor> %1
)"),
              "'matmul': the last dimension of 2x3 has 3 items, the last but one of 2x3 has 2");
}

TEST_F(ExpandTest, DemandsThatHoldAreGoneWithTheirTexts) {
    ASSERT_EQ(expand(R"(
    %0: tensor = pop
    %1: int = tensor rank %0
    %2: int = const 2
    %3: boolean = eq<int> %1, %2
    %4: String = const "dimensions: "
    %5: String = convert %1
    %6: String = concat %4, %5
    require %3, %6
    push<tensor> %0
)"),
              "");
    EXPECT_THAT(text, Not(HasSubstr("require")));
    EXPECT_THAT(text, Not(HasSubstr("String")));
}

TEST_F(ExpandTest, DemandsThatDoNotHoldSayTheirTexts) {
    EXPECT_EQ(expand(R"(
    %0: tensor = pop
    %1: int = tensor rank %0
    %2: int = const 3
    %3: boolean = eq<int> %1, %2
    %4: String = const "dimensions: "
    %5: String = convert %1
    %6: String = concat %4, %5
    require %3, %6
    push<tensor> %0
)"),
              ": dimensions: 2");
}

TEST_F(ExpandTest, TextsThatAreStillWantedStay) {
    ASSERT_EQ(expand(R"(
    %0: tensor = pop
    %1: String = const "here"
    print<String> %1
    push<tensor> %0
)"),
              "");
    EXPECT_THAT(text, HasSubstr("const \"here\""));
}

/// Attention of the matrices to themselves.
constexpr const char* kAttention = R"(
    %0: tensor = pop
    %1: int = const 0
    %2: tensor = tensor attention %0, %0, %0, %1
    push<tensor> %2
)";

TEST_F(ExpandTest, AttentionIsTwoProductsABlock) {
    ASSERT_EQ(expand(kAttention), "");
    EXPECT_EQ(count("contract"), 2u);
    // Two queries of three scores, two keys.
    EXPECT_THAT(text, HasSubstr("contract<int[5][4]> {{0, 0, 0, 0}, {2, 2, 3, 0}, {1, 2, 0, 6}, "
                                "{2, 1, 0, 1}, {3, 0, 1, 2}}"));
    EXPECT_EQ(count(" exp "), 1u);
    EXPECT_THAT(text, HasSubstr("relaxed"));
}

/// Sums over parts of two rows, of which round `t` takes `%14` up to `%16`.
std::string loopOverParts(const std::string& bounds, const std::string& part) {
    return R"(
        local s: tensor
        local t: int
        %0: tensor = pop
        %1: int = const 1
        %2: int = const 3
        %3: tensor = tensor zeros %1, %2
        store<tensor> local s, %3
        %4: int = const 0
        store<int> local t, %4
        loop {
            %5: int = load local t
            %6: int = const 2
            %7: boolean = lt<int> %5, %6
            yield %7
        } do {
            %8: tensor = load local s
            %10: int = const 0
            %13: int = const 1
)" + bounds +
           "%17: tensor = tensor slice %0, %10, %14, %16" + part + R"(
            %18: tensor = tensor add %8, %17
            %19: tensor = tensor math tanh %18
            store<tensor> local s, %19
        } step {
            %20: int = load local t
            %21: int = add %20, %1
            store<int> local t, %21
        }
        %22: tensor = load local s
        push<tensor> %22
)";
}

TEST_F(ExpandTest, ALoopOverNeighboursStays) {
    for (const std::string bounds :
         {"%14: int = load local t\n %15: int = load local t\n %16: int = add %15, %13\n",
          "%15: int = load local t\n %9: int = add %13, %15\n %14: int = sub %9, %13\n"
          "%16: int = add %14, %13\n"}) {
        ASSERT_EQ(expand(loopOverParts(bounds, ", %13")), "");
        EXPECT_EQ(count(" tanh "), 1u) << text;
    }
}

TEST_F(ExpandTest, ALoopOverOtherSlicesIsWrittenOut) {
    const std::string changed =
        "%14: int = load local t\n store<int> local t, %14\n %15: int = load local t\n"
        "%16: int = add %15, %13\n";
    const std::string wider = "%14: int = load local t\n %16: int = const 2\n";
    EXPECT_EQ(expand(loopOverParts(changed, "")), "");
    EXPECT_EQ(count(" tanh "), 2u) << text;
    EXPECT_EQ(expand(loopOverParts(wider, "")), "");
    EXPECT_EQ(count(" tanh "), 2u) << text;
}

TEST_F(ExpandTest, AWrongSliceIsToldAsItIsWritten) {
    const std::string bounds = "%14: int = load local t\n %16: int = add %14, %2\n";
    EXPECT_THAT(expand(loopOverParts(bounds, "")), HasSubstr("'slice': "));
    const std::string beyond =
        "%15: int = load local t\n %14: int = add %15, %13\n %16: int = add %14, %13\n";
    EXPECT_EQ(expand(loopOverParts(beyond, "")),
              "'slice': 2 to 3 does not lie in the 2 items of dimension 0");
}

/// Two rounds that know x, a matrix, and s, another one that goes from round to round.
std::string twoRounds(const std::string& round, const std::string& behind = "") {
    return R"(
        local s: tensor
        local v: tensor
        local t: int
        %0: tensor = pop
        %1: tensor = tensor neg %0
        store<tensor> local s, %1
        store<tensor> local v, %0
        %2: int = const 0
        %3: int = const 1
        store<int> local t, %2
        loop {
            %4: int = load local t
            %5: int = const 2
            %6: boolean = lt<int> %4, %5
            yield %6
        } do {
            %7: tensor = load local s
)" + round +
           R"(
        } step {
            %20: int = load local t
            %21: int = add %20, %3
            store<int> local t, %21
        }
        %22: tensor = load local s
)" + behind +
           "push<tensor> %22\n";
}

TEST_F(ExpandTest, WhatOnlyARoundKnowsNeedsNoMemory) {
    const std::string round = R"(
            %8: tensor = tensor math sin %7
            store<tensor> local v, %8
            %9: tensor = load local v
            %10: tensor = tensor math tanh %9
            store<tensor> local s, %10
)";
    std::string alone = twoRounds(round);
    alone.erase(alone.find("        store<tensor> local v, %0\n"), 34);
    ASSERT_EQ(expand(alone), "");
    EXPECT_EQ(count("loop {"), 3u) << "the start of s, the rounds, and what they do\n" << text;
    ASSERT_EQ(expand(twoRounds(round)), "");
    EXPECT_EQ(count("loop {"), 4u) << "v is known before the loop\n" << text;
}

TEST_F(ExpandTest, WhatComesFromTheRoundBeforeHasAPlace) {
    ASSERT_EQ(expand(twoRounds(R"(
            %8: tensor = load local v
            %9: tensor = tensor math tanh %8
            store<tensor> local s, %9
            store<tensor> local v, %7
)")),
              "");
    EXPECT_EQ(count("declare<float[6]> local v#"), 1u) << text;
    EXPECT_EQ(count("loop {"), 3u) << text;
}

TEST_F(ExpandTest, PartsOfWhatStaysAreReadInPlace) {
    const std::string round = R"(
            %12: int = load local t
            %8: tensor = tensor narrow %0, %2, %12, %3
            store<tensor> local v, %8
            %9: tensor = load local v
            %10: tensor = load local v
            %11: tensor = tensor mul %9, %10
            %13: tensor = tensor add %7, %11
            store<tensor> local s, %13
)";
    std::string alone = twoRounds(round);
    alone.erase(alone.find("        store<tensor> local v, %0\n"), 34);
    ASSERT_EQ(expand(alone), "");
    EXPECT_EQ(count("declare<float[3]>"), 1u) << "the product\n" << text;
}

TEST_F(ExpandTest, PartsOfWhatChangesAreCopied) {
    const std::string round = R"(
            %12: int = load local t
            %8: tensor = tensor narrow %7, %2, %12, %3
            store<tensor> local v, %8
            %13: tensor = tensor add %7, %0
            store<tensor> local s, %13
            %9: tensor = load local v
            %10: tensor = load local v
            %11: tensor = tensor mul %9, %10
            %14: tensor = load local s
            %15: tensor = tensor add %14, %11
            store<tensor> local s, %15
)";
    std::string alone = twoRounds(round);
    alone.erase(alone.find("        store<tensor> local v, %0\n"), 34);
    ASSERT_EQ(expand(alone), "");
    EXPECT_EQ(count("declare<float[3]>"), 2u) << "v and the product\n" << text;
}

TEST_F(ExpandTest, AttentionRowByRow) {
    passes.disable(base::Pass::AttentionBlocks);
    ASSERT_EQ(expand(kAttention), "");
    EXPECT_EQ(count("contract"), 0u);
    EXPECT_EQ(count(" exp "), 1u);
}

}  // namespace
}  // namespace strc::tensor
