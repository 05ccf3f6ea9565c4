#include "graph/flow.h"

#include <gtest/gtest.h>

#include "support/streams.h"

namespace strc::graph {
namespace {

using testing::build;
using testing::edge;
using testing::filter;
using testing::pipeline;
using testing::sink;
using testing::source;
using testing::withPrework;

Flow between(const testing::Stream& up, const testing::Stream& down, std::size_t initial = 0) {
    Graph graph = build(pipeline("Main", {up, down}));
    graph.edges[0].initial.resize(initial);
    return flowOf(graph, 0);
}

TEST(Flow, CountsItemsOfBothEnds) {
    const Flow flow = between(source("A", 3), sink("B", 2, 5));
    EXPECT_EQ(flow.produced(0), 0);
    EXPECT_EQ(flow.produced(4), 12);
    EXPECT_EQ(flow.consumed(4), 8);
    EXPECT_EQ(flow.extra(), 3);
    EXPECT_EQ(flow.needed(0), 0);
    EXPECT_EQ(flow.needed(1), 5);
    EXPECT_EQ(flow.needed(3), 9);
}

TEST(Flow, FirstFiringsDiffer) {
    const Flow flow =
        between(withPrework(source("A", 3), 0, 1), withPrework(sink("B", 2), 0, 0, 7));
    EXPECT_EQ(flow.produced(1), 1);
    EXPECT_EQ(flow.produced(3), 7);
    EXPECT_EQ(flow.consumed(1), 0);
    EXPECT_EQ(flow.consumed(3), 4);
    EXPECT_EQ(flow.needed(1), 7);
    EXPECT_EQ(flow.needed(2), 7) << "the prework looked further than the work does";
    EXPECT_EQ(flow.needed(5), 8);
    EXPECT_EQ(flow.sourceFirings(1), 3);
}

TEST(Flow, SourceFiringsAndEnabledAreInverse) {
    for (std::int64_t push = 1; push <= 5; ++push) {
        for (std::int64_t pop = 1; pop <= 5; ++pop) {
            for (std::int64_t peek : {pop, pop + 3}) {
                for (std::size_t initial : {0, 1, 7}) {
                    for (bool first : {false, true}) {
                        auto up = source("A", push);
                        auto down = sink("B", pop, peek);
                        if (first) {
                            up = withPrework(up, 0, 2);
                            down = withPrework(down, 1, 0, 4);
                        }
                        const Flow flow = between(up, down, initial);
                        for (std::int64_t k = 0; k < 20; ++k) {
                            const std::int64_t n = flow.sourceFirings(k);
                            EXPECT_GE(flow.enabled(n), k);
                            EXPECT_TRUE(n == 0 || flow.enabled(n - 1) < k);
                        }
                    }
                }
            }
        }
    }
}

TEST(Flow, APushOfNothingNeverSuffices) {
    Graph graph = build(pipeline("Main", {source("A", 1), sink("B", 1)}));
    graph.nodes[0].work.push = {0, 0, false, -1};
    const Flow flow = flowOf(graph, 0);
    EXPECT_EQ(flow.sourceFirings(1), kMaxCount);
    EXPECT_EQ(flow.sourceFirings(0), 0);
}

TEST(Flow, SaturatesInsteadOfWrapping) {
    const Flow flow = between(source("A", INT64_C(1) << 40), sink("B", INT64_C(1) << 41));
    EXPECT_EQ(flow.produced(INT64_C(1) << 40), kMaxCount);
    EXPECT_EQ(flow.needed(INT64_C(1) << 40), kMaxCount);
    EXPECT_EQ(flow.sourceFirings(INT64_C(1) << 40), kMaxCount);
    EXPECT_EQ(multiplyCounts(kMaxCount, kMaxCount), kMaxCount);
    EXPECT_EQ(addCounts(kMaxCount, kMaxCount), kMaxCount);
    EXPECT_EQ(multiplyCounts(INT64_C(1) << 30, 3), INT64_C(3) << 30);
}

}  // namespace
}  // namespace strc::graph
