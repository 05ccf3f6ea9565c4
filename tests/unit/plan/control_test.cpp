// Plans of programs with messages or dynamic rates.
#include "unit/plan/fixture.h"

namespace strc::plan::test {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Stream dynamic(const std::string& name) {
    Stream made = filter(name, 1, 1);
    made.work.pop = made.work.peek = {1, graph::kUnbounded, true, -1};
    return made;
}

TEST(PlanDemand, AsksTheSinksAndDrainsFromBelow) {
    Planned made(pipeline("Main", {source("A", 1), filter("B", 2, 1), dynamic("D"),
                                   filter("E", 2, 3), sink("Z", 2)}));
    made.make().verified();
    ASSERT_TRUE(made.plan->demand);
    EXPECT_TRUE(made.plan->steady.steps.empty());
    EXPECT_THAT(print(*made.plan), HasSubstr("an iteration asks for:\n"
                                             "  3 Main.Z\n"
                                             "then fire as long as they can:\n"
                                             "  Main.Z\n"
                                             "  Main.E\n"));
}

// ------------------------------------------------------------------------------------- regions

std::vector<std::string> headsOf(Planned& made) {
    std::vector<std::string> heads;
    for (const Region& region : made.make().verified().plan->demand->regions)
        heads.push_back(made.program.graph.nodes[region.head].name);
    return heads;
}

TEST(PlanRegions, ReachFromQueueToQueue) {
    Planned made(
        pipeline("Main", {source("A", 1), filter("B", 2, 1), dynamic("D"), filter("E", 2, 3),
                          splitjoin("S", {}, {filter("L", 1, 1), filter("R", 1, 2, 4)}, {1, 2}),
                          filter("F", 9, 1), sink("Z", 1)}));
    EXPECT_THAT(headsOf(made), ElementsAre("F", "B"));
    const std::vector<Region>& regions = made.plan->demand->regions;
    EXPECT_EQ(regions[0].nodes.size(), 6u);
    EXPECT_EQ(regions[0].steady.reads[0], 2);
    EXPECT_EQ(regions[0].init.reads[0], 2);  // for what R peeks at
    EXPECT_EQ(regions[1].input, graph::kNone);
    EXPECT_THAT(made.plan->demand->drained,
                ElementsAre(node(made.program.graph, "Z"), regions[0].head));
}

TEST(PlanRegions, AreNotWhereSomebodySeesTheOrder) {
    auto program = [](std::uint8_t source, std::uint8_t middle) {
        return pipeline("Main", {withEffects(testing::source("A", 1), source),
                                 withEffects(filter("B", 1, 1), middle), filter("C", 1, 1),
                                 dynamic("D"), withEffects(sink("Z", 1), graph::kPrints)});
    };
    auto heads = [&](std::uint8_t source, std::uint8_t middle) {
        Planned made(program(source, middle));
        return headsOf(made);
    };
    EXPECT_THAT(heads(0, 0), ElementsAre("C"));
    EXPECT_THAT(heads(graph::kRandom, 0), ElementsAre("C"));  // A stays alone
    EXPECT_THAT(heads(0, graph::kRandom), IsEmpty());
    EXPECT_THAT(heads(graph::kPrints, 0), IsEmpty());
    EXPECT_THAT(heads(graph::kNative, 0), IsEmpty());
}

TEST(PlanRegions, FireForNothingButTheirHead) {
    Planned coarse(pipeline("Main", {source("A", 1), filter("B", 1, 4), filter("C", 1, 1),
                                     dynamic("D"), sink("Z", 1)}));
    EXPECT_THAT(headsOf(coarse), ElementsAre("B"));  // one firing of it is for four of C
    Planned first(pipeline("Main", {source("A", 1), withPrework(filter("B", 1, 1), 1, 1),
                                    filter("C", 1, 1), dynamic("D"), sink("Z", 1)}));
    EXPECT_THAT(headsOf(first), IsEmpty());
}

TEST(PlanRegions, VerifyPlaysThem) {
    Planned made(pipeline("Main", {source("A", 1), filter("B", 2, 1), dynamic("D"), sink("Z", 1)}));
    made.make().verified();
    Region& region = made.plan->demand->regions.at(0);
    ++region.steady.steps.front().count;
    EXPECT_THAT(verify(*made.plan, *made.repetitions),
                Contains(HasSubstr("fires 3 times instead of 2")));
}

// ------------------------------------------------------------------------------------- demand

TEST(PlanDemand, VerifyComparesItWithTheGraph) {
    Planned made(pipeline("Main", {source("A", 1), dynamic("D"), filter("E", 2, 1), sink("Z", 2)}));
    made.make().verified();
    Demand& demand = *made.plan->demand;
    auto faults = [&] { return verify(*made.plan, *made.repetitions); };
    ++demand.sinks[0].firings;
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("firings instead of")));
    --demand.sinks[0].firings;
    std::swap(demand.drained[0], demand.drained[1]);
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("too late")));
    demand.drained.pop_back();
    EXPECT_THAT(faults(), ElementsAre("'Main.Z' is drained 0 times"));
    demand.sinks.clear();
    EXPECT_EQ(faults().size(), 2u);
    demand.actorOffset = demand.queueOffset;
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("overlaps")));
}

/// `from` sends to `to`.
void addMessages(Planned& made, const std::string& from, const std::string& to, bool down) {
    graph::Graph& graph = made.program.graph;
    const NodeId sender = node(graph, from), receiver = node(graph, to);
    graph.nodes[sender].effects |= graph::kSends;
    made.program.portals.push_back({receiver});
    graph.messages.push_back({sender, receiver, down, 0, false, {}});
}

TEST(PlanMessages, DeadlinesAreTables) {
    Planned made(
        pipeline("Main", {source("A", 1), filter("S", 1, 2), filter("R", 3, 1), sink("Z", 1)}));
    addMessages(made, "S", "R", true);
    made.make().verified();
    ASSERT_EQ(made.plan->mailboxes.size(), 2u);
    EXPECT_TRUE(!made.plan->mailboxes[0].receives && made.plan->mailboxes[1].receives);
    ASSERT_EQ(made.plan->routes.size(), 1u);
    const graph::Sdep::Table& sdep = made.plan->routes[0].sdep;
    EXPECT_EQ(sdep.periodUp, 3);
    EXPECT_EQ(sdep.periodDown, 2);
    EXPECT_THAT(std::vector(sdep.firings.begin(), sdep.firings.begin() + 3), ElementsAre(0, 2, 3));
    EXPECT_EQ(made.plan->scaled.iterations, 0);
    EXPECT_THAT(print(*made.plan), HasSubstr("messages of Main.S down to Main.R: SDEP 0 2 3"));
}

TEST(PlanMessages, MailboxesAreNotWithinOtherBlocks) {
    Planned made(
        pipeline("Main", {source("A", 1), filter("R", 1, 1), filter("S", 1, 1), sink("Z", 1)}));
    addMessages(made, "S", "R", false);
    made.make().verified();
    made.plan->mailboxOffset = made.plan->channels[1].offset;
    EXPECT_THAT(verify(*made.plan, *made.repetitions), Contains(HasSubstr("overlaps")));
}

TEST(PlanMessages, NobodyHasAMailboxWithoutSenders) {
    Planned made(pipeline("Main", {source("A", 1), filter("R", 1, 1), sink("Z", 1)}));
    made.program.portals.push_back({1});
    EXPECT_THAT(made.make().verified().plan->mailboxes, IsEmpty());
}

}  // namespace
}  // namespace strc::plan::test
