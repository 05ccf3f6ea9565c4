#include "plan/marks.h"

#include "plan/work.h"
#include "unit/plan/fixture.h"

namespace strc::plan::test {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::Pair;

graph::Graph threes() {
    return build(pipeline("Main", {source("A", 3), filter("B", 2, 1, 4), sink("C", 1)}));
}

/// Two firings of A and three of B are a steady state; what B looks at further stays.
TEST(Marks, OneAppearance) {
    Planned planned(threes());
    planned.make(sched::Order::SingleAppearance, false).verified();
    const std::vector<Marks> marks = highWaterMarks(*planned.plan);
    const std::int64_t stays = planned.plan->channels[0].retained;
    EXPECT_EQ(marks[0][1], stays + 6);
    EXPECT_EQ(marks[1][1], 1) << "B and C take turns";
    EXPECT_EQ(marks[0][0], 3 * planned.repetitions->init[0]);
    EXPECT_THAT(firingsOf(planned.plan->steady.steps),
                ElementsAre(Pair(0, 2), Pair(1, 3), Pair(2, 3)));
}

/// No order holds more than the memory that it has got.
TEST(Marks, FitIntoTapes) {
    for (sched::Order order : kOrders) {
        Planned planned(threes());
        planned.make(order).verified();
        const std::vector<Marks> marks = highWaterMarks(*planned.plan);
        for (EdgeId id = 0; id < marks.size(); ++id) {
            for (std::int64_t mark : marks[id])
                EXPECT_LE(mark, planned.plan->channels[id].capacity) << id;
            EXPECT_GE(marks[id][2], planned.plan->scaled.iterations * 3) << id;
        }
    }
}

NodeId firstOf(const graph::Graph& graph, graph::NodeKind kind) {
    NodeId id = 0;
    while (graph.nodes[id].kind != kind) ++id;
    return id;
}

/// What was measured takes the place of estimates; others are as much larger as those are.
TEST(WorkEstimate, TakesMeasuredTimes) {
    Planned planned(build(pipeline(
        "Main", {source("A", 1), splitjoin("S", {}, {filter("L", 1, 1), filter("R", 1, 2)}, {1, 2}),
                 sink("D", 3)})));
    planned.make();
    const graph::Graph& graph = planned.program.graph;
    const NodeId split = firstOf(graph, graph::NodeKind::Duplicate),
                 join = firstOf(graph, graph::NodeKind::RoundRobinJoiner);
    const WorkEstimate plain(planned.program);
    ASSERT_GT(plain.ofFiring(split), 0);
    const std::map<std::string, double> measured{{path(graph, split), 500}, {"Main.X", 9e9}};
    const WorkEstimate work(planned.program, &measured);
    EXPECT_DOUBLE_EQ(work.ofFiring(split), 5000);
    EXPECT_DOUBLE_EQ(work.ofFiring(join), plain.ofFiring(join) * 5000 / plain.ofFiring(split));
    const std::map<std::string, double> others{{"Other.B", 500}};
    EXPECT_DOUBLE_EQ(WorkEstimate(planned.program, &others).ofFiring(split), plain.ofFiring(split));
}

}  // namespace
}  // namespace strc::plan::test
