#include "graph/ending.h"

#include <gtest/gtest.h>

#include "support/streams.h"

namespace strc::graph {
namespace {

using testing::build;
using testing::filter;
using testing::pipeline;
using testing::sink;
using testing::source;
using testing::withPrework;

/// The first node reads a file, an item at a time.
Graph reading(std::vector<testing::Stream> behind) {
    behind.insert(behind.begin(), source("Read", 1));
    Graph graph = build(pipeline("Main", std::move(behind)));
    for (Node& node : graph.nodes)
        if (node.inputs.empty()) node.file = "in.raw";
    return graph;
}

TEST(Ending, BlocksStayBeforeAWindow) {
    const Graph graph = reading({filter("Block", 4, 4), sink("Sum", 1, 2)});
    const Repetitions repetitions{{4, 1, 0}, {4, 1, 4}, {0, 0, 0}, 1};
    const Waiting waiting = itemsWaiting(graph, {8, 2, 4});
    EXPECT_EQ(waiting.items, 3);
    EXPECT_EQ(graph.nodes[waiting.most].name, "Sum");
    EXPECT_EQ(statesToFlush(graph, repetitions), 1);
    EXPECT_EQ(firingsToDrain(Ending(graph), {8, 2, 4}, {8, 100, 100}),
              (std::vector<std::int64_t>{8, 2, 7}));
    EXPECT_TRUE(mayDrain(Ending(graph, &repetitions)));
}

TEST(Ending, NothingWaitsButWindows) {
    const Graph graph = reading({sink("Sum", 1, 64)});
    const Repetitions repetitions{{63, 0}, {1, 1}, {0, 0}, 1};
    EXPECT_EQ(itemsWaiting(graph, {100, 37}).items, 0);
    EXPECT_EQ(statesToFlush(graph, repetitions), 63);
    EXPECT_EQ(steadyReads(graph, repetitions, 0), 1);
    EXPECT_FALSE(mayDrain(Ending(graph, &repetitions)));
}

TEST(Ending, DelaysAddUp) {
    auto late = [](const char* name, std::int64_t items) {
        return withPrework(filter(name, 1, 1), 0, items);
    };
    const Graph graph = reading({late("A", 3), late("B", 5), sink("Out", 1)});
    const Repetitions repetitions{{0, 1, 1, 0}, {1, 1, 1, 1}, {0, 0, 0, 0}, 1};
    EXPECT_EQ(itemsWaiting(graph, repetitions.init).items, 8);
    EXPECT_EQ(statesToFlush(graph, repetitions), 8);
    EXPECT_EQ(firingsToDrain(Ending(graph), {2, 3, 3, 2}, {2, 100, 100, 100}),
              (std::vector<std::int64_t>{2, 3, 6, 10}));
    EXPECT_TRUE(mayDrain(Ending(graph, &repetitions)));
}

}  // namespace
}  // namespace strc::graph
