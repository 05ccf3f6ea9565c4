#include "plan/kept.h"

#include "plan/lanes.h"
#include "unit/plan/fixture.h"

namespace strc::plan::test {
namespace {

using namespace testing;
using ::testing::ElementsAre;

/// A window keeps what it will look at again; tapes on which nothing stays are no part of a state, however long they are.
TEST(Kept, ItemsThatStay) {
    Planned planned(
        pipeline("Main", {source("A", 1), filter("B", 1, 1, 5), filter("C", 3, 3), sink("D", 3)}));
    planned.make().verified();
    const Channel& window = planned.plan->channels[0];
    EXPECT_EQ(window.retained, 4);
    EXPECT_THAT(keptBetweenPhases(*planned.plan), ElementsAre(Kept{window.offset, 16}));
}

/// The same graph is its own single lane.
TEST(Kept, OneLane) {
    Planned planned(pipeline("Main", {source("A", 1), filter("B", 1, 1, 5), sink("D", 1)}));
    planned.make().verified();
    const Plan& plan = *planned.plan;
    const std::int64_t at = plan.channels[0].offset;
    EXPECT_EQ(lanePieces(plan, plan, {{}, {}, {}}, 1), (std::vector{LanePiece{at, at, 4, 4}}));
    EXPECT_EQ(lanePieces(plan, plan, {{}, {}, {}}, 2), std::nullopt);
}

}  // namespace
}  // namespace strc::plan::test
