#include "graph/sdep.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/context.h"
#include "sched/balance.h"
#include "support/naive.h"
#include "support/random_streams.h"
#include "support/streams.h"

namespace strc::graph {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Repetitions quotaOf(const Graph& graph) {
    base::Context context;
    auto repetitions = sched::balance(context, graph);
    EXPECT_TRUE(repetitions.has_value());
    return repetitions.value_or(Repetitions{});
}

std::vector<std::int64_t> values(Sdep& sdep, std::int64_t count) {
    std::vector<std::int64_t> list;
    for (std::int64_t m = 0; m <= count; ++m) list.push_back(sdep(m));
    return list;
}

void link(Graph& graph, const std::string& sender, const std::string& receiver, bool downstream,
          std::optional<std::int64_t> latency) {
    MessageLink message;
    message.sender = node(graph, sender);
    message.receiver = node(graph, receiver);
    message.downstream = downstream;
    message.minLatency = latency;
    graph.messages.push_back(message);
}

/// Check program C7 of the language reference.
TEST(Sdep, ThroughAPairwiseFilter) {
    const Graph graph = build(pipeline(
        "Main", {source("Tx", 1), filter("Pairs", 2, 2), filter("Rx", 1, 1), sink("Out", 1)}));
    const Repetitions repetitions = quotaOf(graph);
    Sdep sdep(graph, repetitions, node(graph, "Tx"), node(graph, "Rx"));
    EXPECT_TRUE(sdep.isConnected());
    EXPECT_THAT(values(sdep, 6), ElementsAre(0, 2, 2, 4, 4, 6, 6));
    EXPECT_EQ(sdep.firstAtLeast(4), 3);
    EXPECT_EQ(sdep.firstAtLeast(5), 5);
    EXPECT_EQ(sdep.firstAtLeast(6), 5);
    EXPECT_EQ(sdep.firstAtLeast(0), 0);
    EXPECT_EQ(sdep(-3), 0);
    EXPECT_EQ(sdep(1'000'000'000'001), 1'000'000'000'002);
}

/// Check program C8.
TEST(Sdep, ThroughAPeekingFilter) {
    const Graph graph = build(pipeline(
        "Main", {source("Up", 1), filter("Ahead", 1, 1, 3), filter("Snd", 1, 1), sink("Out", 1)}));
    const Repetitions repetitions = quotaOf(graph);
    Sdep sdep(graph, repetitions, node(graph, "Up"), node(graph, "Snd"));
    EXPECT_THAT(values(sdep, 4), ElementsAre(0, 3, 4, 5, 6));
}

TEST(Sdep, WithoutAPathNothingDepends) {
    const Graph graph = build(pipeline(
        "Main", {source("A", 1), splitjoin("S", {}, {filter("B", 1, 1), filter("C", 1, 1)}),
                 sink("D", 2)}));
    const Repetitions repetitions = quotaOf(graph);
    Sdep sdep(graph, repetitions, node(graph, "B"), node(graph, "C"));
    EXPECT_FALSE(sdep.isConnected());
    EXPECT_EQ(sdep(100), 0);
    EXPECT_FALSE(sdep.firstAtLeast(1).has_value());
}

/// The values of long periods are not tabulated; they agree with those that are.
TEST(Sdep, LongPeriods) {
    const Graph graph =
        build(pipeline("Main", {source("A", 1), filter("B", 1'000'003, 999'983), sink("C", 7)}));
    const Repetitions repetitions = quotaOf(graph);
    Sdep sdep(graph, repetitions, 0, 2);
    for (std::int64_t m : {1, 2, 142'854, 142'855, 999'983, 5'000'000}) {
        const std::int64_t firingsOfB = (7 * m + 999'982) / 999'983;
        EXPECT_EQ(sdep(m), firingsOfB * 1'000'003);
    }
    EXPECT_EQ(sdep.firstAtLeast(1'000'004), 142'855);
}

TEST(Sdep, AgreesWithTheReferenceAlgorithm) {
    std::mt19937 engine(2);
    int compared = 0;
    for (int round = 0; round < 200; ++round) {
        const auto bytes = randomBytes(engine, 200);
        Choices choices(bytes);
        const Graph graph = build(randomProgram(choices, {.depth = 2, .starved = 60}));
        base::Context context;
        auto repetitions = sched::balance(context, graph);
        if (!repetitions) continue;
        const NodeId down = node(graph, graph.nodes.back().name);
        const auto up = static_cast<NodeId>(engine() % (graph.nodes.size() - 1));
        Sdep sdep(graph, *repetitions, up, down);
        Naive naive(graph);
        const std::int64_t most = std::min<std::int64_t>(2 * repetitions->steady[down] + 5, 60);
        for (std::int64_t m = 1; m <= most && naive.firings < 5'000; ++m) {
            ASSERT_TRUE(naive.demand(down));
            ASSERT_EQ(sdep(m), naive.fired[up]) << "round " << round << " m " << m;
            const auto first = sdep.firstAtLeast(naive.fired[up]);
            ASSERT_TRUE(first && *first <= m && sdep(*first) == naive.fired[up]);
            ASSERT_LT(sdep(*first - 1), std::max<std::int64_t>(naive.fired[up], 1));
            ++compared;
        }
    }
    EXPECT_GT(compared, 1000);
}

TEST(Guards, OnlyWhereDataDoNotImplyTheOrder) {
    Graph graph = build(
        pipeline("Main", {source("A", 1), filter("B", 1, 1, 3), filter("C", 1, 1), sink("Z", 1)}));
    const Repetitions repetitions = quotaOf(graph);
    link(graph, "A", "C", true, 0);              // implied
    link(graph, "A", "B", true, std::nullopt);   // unknown before the run
    link(graph, "B", "B", true, -1);             // to itself
    link(graph, "A", "Z", true, -2);
    link(graph, "C", "A", false, 0);
    link(graph, "C", "A", false, 4);             // less strict
    link(graph, "Z", "A", false, 1);
    graph.messages.back().bestEffort = true;
    auto list = guards(graph, repetitions);
    ASSERT_THAT(list, SizeIs(2));
    EXPECT_EQ(list[0].node(), node(graph, "Z"));
    EXPECT_EQ(list[0].waitsFor(), node(graph, "A"));
    EXPECT_TRUE(list[0].isDownstream());
    EXPECT_EQ(list[0].required(1), 3 + 2);
    EXPECT_EQ(list[0].required(0), 0);
    EXPECT_EQ(list[1].node(), node(graph, "A"));
    EXPECT_EQ(list[1].message(), 4u);
    EXPECT_EQ(list[1].latency(), 0);
    // SDEP(A, C, .) is 3, 4, 5 …: the fourth firing of A waits for the first of C.
    EXPECT_EQ(list[1].required(3), 0);
    EXPECT_EQ(list[1].required(4), 1);
    EXPECT_EQ(list[1].required(104), 101);
}

TEST(Guards, NoneBetweenIslands) {
    Stream dynamic = filter("D", 1, 1);
    dynamic.work.push = {0, kUnbounded, true, -1};
    Graph graph = build(pipeline("Main", {source("A", 1), dynamic, sink("Z", 1)}));
    const Repetitions repetitions = quotaOf(graph);
    link(graph, "Z", "A", false, 0);
    EXPECT_THAT(guards(graph, repetitions), IsEmpty());
}

}  // namespace
}  // namespace strc::graph
