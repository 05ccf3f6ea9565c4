#include "plan/plan.h"

#include <numeric>
#include <random>

#include "support/random_streams.h"
#include "unit/plan/fixture.h"

namespace strc::plan::test {
namespace {

using namespace testing;
using sched::Order;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Order kOrders[] = {Order::Buffers, Order::SingleAppearance, Order::Latency};

// ---------------------------------------------------------------------------- single appearance and loops

TEST(Plan, SplitjoinsWithUnevenWeights) {
    Planned made(pipeline(
        "Main", {source("A", 1),
                 splitjoin("S", {3, 1, 2},
                           {filter("X", 1, 1, 7), filter("Y", 1, 4), filter("Z", 4, 2)}, {3, 4, 1}),
                 sink("Out", 5)}));
    for (Order order : kOrders) made.make(order).verified();
}

TEST(Plan, PreworkInEveryOrder) {
    Planned made(pipeline(
        "Main", {withPrework(source("A", 1), 0, 9), withPrework(filter("B", 2, 3, 4), 5, 1, 8),
                 withPrework(sink("C", 1, 3), 2, 0, 6)}));
    for (Order order : kOrders) {
        made.make(order).verified();
        int firsts = 0;
        for (const Step& step : made.plan->init.steps) firsts += step.first ? 1 : 0;
        EXPECT_EQ(firsts, 3);
    }
}

TEST(Plan, RandomGraphs) {
    std::mt19937 engine(11);
    int scaled = 0;
    int count = 0;
    for (int round = 0; round < 300; ++round) {
        const auto bytes = randomBytes(engine, 400);
        Choices choices(bytes);
        ProgramShape shape;
        shape.depth = 1 + round % 4;
        shape.rate = round % 7 == 0 ? 60 : 4;
        const graph::Graph graph = build(randomProgram(choices, shape));
        base::Context context;
        const auto quota = sched::balance(context, graph);
        if (!quota) continue;
        const std::int64_t firings =
            std::accumulate(quota->steady.begin(), quota->steady.end(), INT64_C(0));
        if (firings > 100'000) continue;
        Planned made(graph);
        for (Order order : kOrders) {
            SCOPED_TRACE(round);
            made.make(order).verified();
            if (HasFailure()) return;
        }
        ++count;
        if (made.plan->scaled.iterations > 0) ++scaled;
    }
    EXPECT_GT(count, 150);
    EXPECT_GT(scaled, 50);
}

}  // namespace
}  // namespace strc::plan::test
