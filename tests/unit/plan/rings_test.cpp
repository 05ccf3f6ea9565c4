// Plans with ring buffers.
#include "unit/plan/fixture.h"

namespace strc::plan::test {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

Planned& inRings(Planned& made) {
    made.make();
    made.plan = plan::plan(made.context, made.program, *made.repetitions, *made.schedule,
                           {&*made.single, INT64_MAX, 0, Tapes::Ring});
    return made.verified();
}

TEST(PlanRings, HaveCursorsInsteadOfPositions) {
    Planned made(pipeline("Main", {source("A", 1), filter("Fir", 1, 1, 3), sink("Z", 4)}));
    EXPECT_EQ(print(*inRings(made).plan), R"(state: 192 bytes, 64 in the image, tapes as rings
tape                  kept  room  bytes  offset
  Main.A -> Main.Fir     2     4     16      64
  Main.Fir -> Main.Z     0     4     16     128
init:
  2 Main.A
steady:
  loop 4
    Main.A
    Main.Fir
  Main.Z
)");
    EXPECT_EQ(made.plan->scaled.iterations, 0);
}

TEST(PlanRings, HoldWhatOpenEndsReadAndWriteAtOnce) {
    Planned made(pipeline("Main", {filter("Down", 5, 3, 9), filter("Up", 2, 7)}));
    inRings(made);
    const graph::Graph& graph = made.program.graph;
    EXPECT_EQ(made.plan->channels[graph.input].capacity, 16);   // 4 stay, 10 are read
    EXPECT_EQ(made.plan->channels[graph.output].capacity, 32);  // 21 are written
}

TEST(PlanRings, BeginWithWhatIsEnqueued) {
    Planned made(pipeline(
        "Main",
        {source("A", 1), feedbackloop("L", {1, 1}, filter("B", 2, 2), filter("D", 1, 1), {1, 1}, 5),
         sink("Z", 1)}));
    inRings(made);
    const Plan& plan = *made.plan;
    const Channel& channel = made.channel("D", "join");
    EXPECT_EQ(channel.capacity, 8);
    const auto at = static_cast<std::size_t>(plan.ringOf(channel.edge) + kRingWritten);
    EXPECT_EQ(plan.image[at], 5);
    EXPECT_EQ(plan.image[static_cast<std::size_t>(channel.offset + 4 * channel.itemSize)], 5);
}

TEST(PlanRings, FireThePreworkFirst) {
    Planned made(pipeline(
        "Main", {source("A", 1), withPrework(filter("D", 2, 1, 5), 1, 3, 2), sink("Z", 1)}));
    EXPECT_THAT(print(*inRings(made).plan), HasSubstr("  Main.D.prework\n"));
}

TEST(PlanRings, VerifyFindsWhatIsWrong) {
    Planned made(pipeline("Main", {source("A", 3), sink("Z", 2)}));
    Plan wrong = *inRings(made).plan;
    wrong.channels[0].capacity = 2;
    EXPECT_THAT(verify(wrong, *made.repetitions), Not(IsEmpty()));
    wrong = *made.plan;
    wrong.channels[0].capacity = 3;
    EXPECT_THAT(verify(wrong, *made.repetitions),
                Contains(HasSubstr("the ring of Main.A -> Main.Z has 3 places")));
    wrong = *made.plan;
    std::swap(wrong.steady.steps.front(), wrong.steady.steps.back());
    EXPECT_THAT(verify(wrong, *made.repetitions), Not(IsEmpty()));
    wrong = *made.plan;
    wrong.image.clear();
    EXPECT_THAT(verify(wrong, *made.repetitions),
                UnorderedElementsAre("the image lacks the ring of Main.A -> Main.Z"));
}

}  // namespace
}  // namespace strc::plan::test
