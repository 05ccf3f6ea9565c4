#include "graph/demand.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/sdep.h"
#include "support/naive.h"
#include "support/random_streams.h"
#include "support/streams.h"

namespace strc::graph {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::int64_t> needs(const Graph& graph, const std::string& name, std::int64_t target) {
    const Demand demand(graph);
    std::vector<std::int64_t> fired(graph.nodes.size());
    fired[node(graph, name)] = target;
    EXPECT_EQ(demand.raise(fired), Demand::Outcome::Done);
    return fired;
}

TEST(Demand, FollowsAChainUpwards) {
    const Graph graph =
        build(pipeline("Main", {source("A", 2), filter("B", 3, 1), sink("C", 2, 4)}));
    EXPECT_THAT(needs(graph, "C", 1), ElementsAre(6, 4, 1));
    EXPECT_THAT(needs(graph, "C", 2), ElementsAre(9, 6, 2));
    EXPECT_THAT(needs(graph, "B", 1), ElementsAre(2, 1, 0));
}

TEST(Demand, HugeCountsCostNothing) {
    const Graph graph =
        build(pipeline("Main", {source("A", 1), filter("B", 1000, 999), sink("C", 1)}));
    const auto fired = needs(graph, "C", 999'000'000'000);
    EXPECT_THAT(fired, ElementsAre(1'000'000'000'000, 1'000'000'000, 999'000'000'000));
}

TEST(Demand, OverflowIsSeen) {
    const Graph graph =
        build(pipeline("Main", {source("A", 1), filter("B", INT64_C(1) << 31, 1), sink("C", 1)}));
    const Demand demand(graph);
    std::vector<std::int64_t> fired{0, 0, INT64_C(1) << 40};
    EXPECT_EQ(demand.raise(fired), Demand::Outcome::Overflow);
}

TEST(Demand, LoopsAreFoundAndOrdered) {
    const Graph graph = build(pipeline(
        "Main", {source("A", 1),
                 feedbackloop("L", {1, 1}, filter("Body", 2, 1), filter("Back", 1, 1), {}, 3),
                 sink("Z", 1)}));
    const Demand demand(graph);
    ASSERT_EQ(demand.components(), 3u);
    EXPECT_FALSE(demand.isLoop(0));
    EXPECT_TRUE(demand.isLoop(1));
    EXPECT_THAT(demand.component(1), SizeIs(4));
    EXPECT_THAT(demand.component(0), ElementsAre(node(graph, "A")));
    EXPECT_THAT(demand.component(2), ElementsAre(node(graph, "Z")));
    const auto fired = needs(graph, "Z", 1'000'000);
    EXPECT_EQ(fired[node(graph, "A")], 1'000'000);
    EXPECT_EQ(fired[node(graph, "Back")], 999'997);
}

TEST(Demand, ADeadlockNamesItsCycle) {
    const Graph graph = build(pipeline(
        "Main", {source("A", 1),
                 feedbackloop("L", {1, 1}, filter("Body", 2, 1, 4), filter("Back", 1, 1), {}, 1),
                 sink("Z", 1)}));
    const Demand demand(graph);
    std::uint64_t steps = 1000;
    const std::vector<std::int64_t> ones(graph.nodes.size(), 1);
    const auto deadlock = demand.findDeadlock(1, ones, steps);
    ASSERT_TRUE(deadlock);
    EXPECT_FALSE(deadlock->overSteps);
    ASSERT_THAT(deadlock->cycle, SizeIs(4));
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(deadlock->cycle[i].from, deadlock->cycle[(i + 1) % 4].to);
        EXPECT_NE(deadlock->cycle[i].edge, kNone);
    }
}

TEST(Demand, StepsAreLimited) {
    const Graph graph = build(pipeline(
        "Main", {source("A", 1),
                 feedbackloop("L", {1, 1}, filter("Body", 2, 1), filter("Back", 1, 1), {}, 3),
                 sink("Z", 1)}));
    const Demand demand(graph);
    std::uint64_t steps = 5;
    const auto deadlock = demand.findDeadlock(1, std::vector<std::int64_t>(6, 1), steps);
    ASSERT_TRUE(deadlock);
    EXPECT_TRUE(deadlock->overSteps);
}

TEST(Demand, DynamicEdgesHoldEnough) {
    Stream dynamic = filter("D", 1, 1);
    dynamic.work.pop = {0, kUnbounded, true, -1};
    dynamic.work.peek = dynamic.work.pop;
    const Graph graph = build(pipeline("Main", {source("A", 1), dynamic, sink("C", 5)}));
    EXPECT_THAT(needs(graph, "C", 3), ElementsAre(0, 15, 3));
}

/// Thousands of nodes in one row, and in one loop: no recursion, no quadratic time.
TEST(Demand, LongChainsAndLoops) {
    std::vector<Stream> parts{source("A", 1)};
    for (int i = 0; i < 20'000; ++i) parts.push_back(filter("F", 1, 1));
    parts.push_back(sink("Z", 1));
    const Graph chain = build(pipeline("Main", parts));
    EXPECT_EQ(needs(chain, "Z", 7)[0], 7);

    parts.pop_back();
    parts.erase(parts.begin());
    const Graph loop = build(
        pipeline("Main", {source("A", 1),
                          feedbackloop("L", {1, 1},
                                       pipeline("P",
                                                [&] {
                                                    auto body = parts;
                                                    body.insert(body.begin(), filter("Add", 2, 1));
                                                    return body;
                                                }()),
                                       filter("Back", 1, 1), {}, 1),
                          sink("Z", 1)}));
    EXPECT_EQ(needs(loop, "Z", 1000)[0], 1000);
    const Demand demand(loop);
    std::uint64_t steps = 1'000'000;
    EXPECT_FALSE(demand.findDeadlock(1, std::vector<std::int64_t>(loop.nodes.size(), 1), steps));
}

/// SDEP of random graphs against the reference algorithm.
TEST(Demand, AgreesWithTheReferenceAlgorithm) {
    std::mt19937 engine(1);
    int compared = 0;
    for (int round = 0; round < 300; ++round) {
        const auto bytes = randomBytes(engine, 200);
        Choices choices(bytes);
        const Graph graph = build(randomProgram(choices, {.depth = 2}));
        const auto down = static_cast<NodeId>(graph.nodes.size() - 1);
        Naive naive(graph);
        const Demand demand(graph);
        for (std::int64_t m = 1; m <= 6; ++m) {
            if (naive.firings > 20'000 || !naive.demand(down)) break;
            std::vector<std::int64_t> fired(graph.nodes.size());
            fired[down] = m;
            ASSERT_EQ(demand.raise(fired), Demand::Outcome::Done) << "round " << round;
            ASSERT_EQ(fired, naive.fired) << "round " << round;
            ++compared;
        }
    }
    EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace strc::graph
