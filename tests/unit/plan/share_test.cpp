#include "unit/plan/fixture.h"

namespace strc::plan::test {
namespace {

using namespace testing;
using sched::Order;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Four readers of the source, two of them behind a second splitter.
Stream nested() {
    return pipeline("Main",
                    {source("A", 3),
                     splitjoin("S", {},
                               {filter("X", 2, 2, 7),
                                splitjoin("T", {}, {filter("U", 1, 1), filter("V", 1, 1, 20)}),
                                filter("Y", 4, 4)},
                               {1, 2, 1}),
                     sink("Z", 5)});
}

TEST(PlanShare, ReadersAtDifferentPlaces) {
    Planned made(nested());
    for (Order order : kOrders) {
        made.make(order).verified();
        const EdgeId tape = edge(made.program.graph, "A", "split");
        int readers = 0;
        for (const Channel& channel : made.plan->channels) {
            if (channel.tape != tape) continue;
            EXPECT_EQ(channel.capacity == 0, channel.edge != tape);
            EXPECT_LE(channel.retained, made.plan->channels[tape].retained);
            ++readers;
        }
        EXPECT_EQ(readers, 6) << "from A, three behind S, two behind T";
        for (const Step& step : made.plan->steady.steps)
            if (step.kind == StepKind::Fire) {
                EXPECT_NE(made.program.graph.nodes[step.node].kind, graph::NodeKind::Duplicate);
            }
    }
}

TEST(PlanShare, CanBeLeftOut) {
    Planned made(nested());
    made.context.passes.disable(base::Pass::ShareDuplicates);
    made.make().verified();
    for (const Channel& channel : made.plan->channels) EXPECT_EQ(channel.tape, channel.edge);
}

TEST(PlanShare, EnqueuedItemsKeepTheirMemory) {
    Planned made(nested());
    graph::Graph& graph = made.program.graph;
    const EdgeId edge = testing::edge(graph, "split", "X");
    graph.edges[edge].initial.assign(3, types::Value::zero(graph.edges[edge].type));
    made.make().verified();
    EXPECT_EQ(made.plan->channels[edge].tape, edge);
    EXPECT_GT(made.plan->channels[edge].capacity, 0);
}

/// Readers that take differently much in an iteration of a loop: nothing is moved before its end.
TEST(PlanShare, ReadersInLoopsOfTheirOwn) {
    Planned made(pipeline("Main", {source("A", 1),
                                   splitjoin("S", {},
                                             {pipeline("P", {filter("B", 7, 1), filter("C", 1, 7)}),
                                              pipeline("Q", {filter("D", 3, 5), filter("E", 5, 3)}),
                                              filter("F", 1, 1, 50)}),
                                   sink("Z", 3)}));
    for (Order order : kOrders) made.make(order).verified();
}

TEST(PlanShare, OpenEndsOnOneTape) {
    Planned made(splitjoin("S", {}, {filter("X", 1, 1, 9), filter("Y", 1, 1)}, {1, 1}));
    for (Order order : kOrders) made.make(order).verified();
    EXPECT_EQ(made.plan->channels[made.program.graph.input].retained, 8);
}

/// Nodes that do not fire.
std::vector<std::string> goneOf(const Planned& made) {
    std::vector<std::string> names;
    for (NodeId id = 0; id < made.plan->gone.size(); ++id)
        if (made.plan->gone[id]) names.push_back(made.program.graph.nodes[id].name);
    return names;
}

Stream dealt(Stream join, Stream split) {
    return pipeline(
        "Main", {source("A", 1), std::move(split),
                 splitjoin("S", {1, 1, 1},
                           {filter("X", 1, 1, 7), filter("Y", 1, 1), filter("Z", 2, 2)}, {1, 1, 1}),
                 std::move(join), sink("Out", 5)});
}

TEST(PlanShare, BranchesOfRoundRobins) {
    Planned made(dealt(filter("J", 3, 1), filter("D", 2, 3)));
    for (Order order : kOrders) {
        made.make(order).verified();
        EXPECT_THAT(goneOf(made), ::testing::ElementsAre("split", "join"));
        EXPECT_EQ(made.plan->inputsOf(node(made.program.graph, "J")).size(), 3u);
        EXPECT_EQ(made.plan->outputsOf(node(made.program.graph, "D")).size(), 3u);
    }
    made.context.passes.disable(base::Pass::RemoveRoundRobins);
    made.make().verified();
    EXPECT_THAT(goneOf(made), IsEmpty());
}

TEST(PlanShare, RoundRobinsThatCopy) {
    // Several iterations a firing, a part of one, a look further, another number the first time.
    for (const Stream& join : {filter("J", 6, 1), filter("J", 1, 1), filter("J", 3, 1, 4),
                               withPrework(filter("J", 3, 1), 3, 2)}) {
        Planned made(dealt(join, filter("D", 1, 6)));
        for (Order order : kOrders) made.make(order).verified();
        EXPECT_THAT(goneOf(made), IsEmpty());
    }
}

TEST(PlanShare, RoundRobinsOfFeedbackLoops) {
    for (std::size_t enqueued : {1u, 2u, 5u, 40u, 3000u}) {
        for (std::int64_t looks : {1, 2, 9}) {
            Planned made(pipeline(
                "Main",
                {source("A", 1),
                 feedbackloop("L", {1, 1}, filter("Body", 2, 2),
                              filter("Back", 1, 1, enqueued < 9 ? 1 : looks), {1, 1}, enqueued),
                 sink("Z", 7, 7 + looks)}));
            for (Order order : kOrders) made.make(order).verified();
            EXPECT_THAT(goneOf(made), ::testing::ElementsAre("join", "split"));
        }
    }
}

TEST(PlanShare, VerifySeesWrongTapes) {
    Planned made(nested());
    made.make().verified();
    auto after = [&](auto change) {
        Plan broken = *made.plan;
        change(broken.channels);
        return verify(broken, *made.repetitions);
    };
    const graph::Graph& graph = made.program.graph;
    const EdgeId x = edge(graph, "split", "X"), xOut = edge(graph, "X", "join");
    const EdgeId tape = made.plan->channels[x].tape;
    EXPECT_THAT(after([&](auto& channels) { channels[x].tape = x; }), Not(IsEmpty()));
    EXPECT_THAT(after([&](auto& channels) { channels[xOut].tape = tape; }), Not(IsEmpty()));
    EXPECT_THAT(after([&](auto& channels) { channels[tape].tape = x; }), Not(IsEmpty()));
    EXPECT_THAT(after([&](auto& channels) { channels[x].tape = 1000; }), Not(IsEmpty()));
    EXPECT_THAT(after([&](auto& channels) { channels[x].offset += 4; }), Not(IsEmpty()));
    EXPECT_THAT(after([&](auto& channels) { ++channels[x].retained; }), Not(IsEmpty()));
}

}  // namespace
}  // namespace strc::plan::test
