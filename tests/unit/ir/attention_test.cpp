#include "ir/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/ir/text_fixture.h"

namespace strc::ir {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Of 2 heads of 3 queries and 4 keys, all of 5 numbers, values of 6; the scale is 0.5.
constexpr const char* kHeads = R"(filter F float->float {
    work {
        local y: float[36]
        local q: float[30]
        local k: float[40]
        local v: float[48]
        %0: boolean = const true
        %1: ref float[36] = addr local y
        %2: ref float[30] = addr local q
        %3: ref float[40] = addr local k
        %4: ref float[48] = addr local v
        if<int[7][6]> {{1, 0, 0, 0, 0, 0}, {1056964608, 0, 0, 0, 0, 0}, {3, 6, 5, 0, 0, 0}, {4, 0, 0, 5, 6, 0}, {5, 0, 1, 1, 0, 0}, {6, 1, 0, 0, 1, 0}, {2, 18, 15, 20, 24, 0}} %0, %1, %2, %3, %4 {
        }
    }
}
)";

using AttentionText = TextTest;

TEST_F(AttentionText, ReadsBackAsItIsPrinted) {
    const std::string printed = print(read(kHeads));
    EXPECT_THAT(printed, HasSubstr("if<int[7][6]> {{1, 0, 0, 0, 0, 0}, {1056964608, 0, "));
    EXPECT_EQ(print(read(printed)), printed);
    EXPECT_THAT(faults(kHeads), IsEmpty());
}

TEST_F(AttentionText, SaysWhatItIs) {
    Module module = read(kHeads);
    const Instr& instr = module.streams.at(0).work->blocks[0].instrs.back();
    const std::optional<Attention> how = attentionOf(instr);
    ASSERT_TRUE(how);
    EXPECT_TRUE(how->isCausal);
    EXPECT_FALSE(how->hasMask);
    EXPECT_EQ(how->scale, 0.5f);
    EXPECT_EQ(how->queries, (AttentionLoop{3, 6, 5, 0, 0, 0}));
    EXPECT_EQ(how->values.trips, 6);
    ASSERT_EQ(how->outer.size(), 1u);
    EXPECT_EQ(how->outer[0].key, 20);
    EXPECT_EQ(toValue(*how, types), instr.value);
    EXPECT_TRUE(tellsAttention(*module.streams.at(0).work));
}

TEST_F(AttentionText, AnOrdinaryBranchIsNone) {
    const std::string branch =
        replaced(kHeads,
                 std::string(kHeads).substr(std::string(kHeads).find("if<"),
                                            std::string(kHeads).find(" %0, %1, %2, %3, %4 {") -
                                                std::string(kHeads).find("if<") + 20),
                 "if %0");
    EXPECT_FALSE(tellsAttention(*read(branch).streams.at(0).work));
    EXPECT_THAT(faults(branch), IsEmpty());
}

TEST_F(AttentionText, PlacesLieInsideOfTheArrays) {
    EXPECT_THAT(faults(replaced(kHeads, "local k: float[40]", "local k: float[39]")),
                Not(IsEmpty()));
    EXPECT_THAT(faults(replaced(kHeads, "{2, 18, 15, 20, 24, 0}", "{2, 18, 15, 20, 25, 0}")),
                Not(IsEmpty()));
    EXPECT_THAT(faults(replaced(kHeads, "{{1, 0, 0, 0, 0, 0}", "{{1, 0, -1, 0, 0, 0}")),
                Not(IsEmpty()));
    EXPECT_THAT(faults(replaced(kHeads, "{3, 6, 5, 0, 0, 0}", "{0, 6, 5, 0, 0, 0}")),
                Not(IsEmpty()))
        << "there are no queries";
}

TEST_F(AttentionText, OperandsAreThoseThatAreTold) {
    EXPECT_THAT(faults(replaced(kHeads, "%3, %4 {", "%3 {")), Not(IsEmpty()));
    EXPECT_THAT(faults(replaced(kHeads, "{{1, 0,", "{{3, 0,")), Not(IsEmpty()))
        << "there is no mask";
    EXPECT_THAT(faults(replaced(kHeads, "%0, %1, %2", "%0, %1, %0")), Not(IsEmpty()));
}

}  // namespace
}  // namespace strc::ir
