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

std::int64_t roomOf(const Plan& plan) {
    std::int64_t sum = 0;
    for (const Channel& channel : plan.channels) sum += channel.capacity;
    return sum;
}

std::int64_t roomOf(const sched::Schedule& schedule) {
    return std::accumulate(schedule.capacity.begin(), schedule.capacity.end(), INT64_C(0));
}

/// Items that pass in the steady state, over all tapes.
std::int64_t passed(const Planned& made) {
    std::int64_t sum = 0;
    for (EdgeId id = 0; id < made.plan->channels.size(); ++id)
        sum += made.repetitions->steady[made.program.graph.edges[id].from] *
               pushRate(made.program.graph, id);
    return sum;
}

// ------------------------------------------------------------------------------------- phases

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

TEST(Plan, FeedbackLoopsInEveryOrder) {
    for (std::size_t enqueued : {1u, 2u, 5u, 40u}) {
        Planned made(pipeline(
            "Main",
            {source("A", 1),
             feedbackloop("L", {1, 1}, pipeline("Body", {filter("Up", 2, 3), filter("Down", 1, 1)}),
                          filter("Back", 1, 1), {2, 1}, enqueued),
             sink("Z", 7)}));
        for (Order order : kOrders) made.make(order).verified();
        EXPECT_EQ(made.plan->image[static_cast<std::size_t>(made.channel("Back", "join").offset)],
                  1);
    }
}

TEST(Plan, MemoryIsUsedAgainWhereNothingIsLeft) {
    // The order of latency has no loop here: A 2B A 2B ...
    Planned made(pipeline("Main", {source("A", 5), filter("B", 2, 1), sink("Z", 3)}));
    made.make(Order::Latency, false).verified();
    EXPECT_LE(made.channel("A", "B").capacity, 10);
    EXPECT_EQ(made.channel("B", "Z").capacity, 3);
}

TEST(Plan, WindowsShiftInTheLoopWhereItPays) {
    // Ten items pass in an iteration of the outer loop and ten are left: not more than pass.
    Planned made(pipeline("Main", {source("A", 10), filter("F", 1, 1, 10), sink("Z", 1'000'000)}));
    made.make(Order::Buffers, false).verified();
    EXPECT_EQ(made.channel("A", "F").capacity, 20);
    EXPECT_LE(moved(made.plan->steady.steps), passed(made));
}

/// Wide items: what is left by far outweighs what passes in an iteration, and running through would take
/// 20 megabytes.
TEST(Plan, LongLoopsAreCutIntoBlocks) {
    for (std::int64_t trips : {5'000, 5'003}) {
        Planned made(pipeline("Main", {source("A", 1), filter("F", 1, 1, 41), filter("G", 1, 1, 7),
                                       filter("H", 1, 1), sink("Z", trips)}),
                     1000);
        made.make(Order::Buffers, false).verified();
        EXPECT_LE(made.channel("A", "F").capacity, 300);
        EXPECT_LE(made.channel("F", "G").capacity, 300);
        EXPECT_EQ(made.channel("G", "H").capacity, 1);
        EXPECT_LE(moved(made.plan->steady.steps), passed(made));
        EXPECT_LE(steps(made.plan->steady.steps), 30);
    }
}

TEST(Plan, BlocksInBlocks) {
    Planned made(pipeline("Main", {source("A", 1), filter("F", 1, 1, 20), filter("G", 1, 1, 300),
                                   sink("Z", 6'007)}),
                 4000);
    made.make(Order::Buffers, false).verified();
    EXPECT_LE(made.channel("A", "F").capacity, 100);
    EXPECT_LE(made.channel("F", "G").capacity, 1500);
    EXPECT_LE(moved(made.plan->steady.steps), passed(made));
}

/// The iterations of no loop leave a tape as they found it, all the same it must not be laid out in full:
/// 10^9 items pass.
TEST(Plan, ManyRatesWithoutCommonFactor) {
    std::vector<Stream> parts{source("A", 97)};
    for (std::int64_t p : {101, 103, 107}) parts.push_back(filter("F", p, p - 4));
    parts.push_back(sink("Z", 89));
    Planned made{pipeline("Main", parts)};
    made.make(Order::Buffers, false);
    EXPECT_LE(roomOf(*made.plan), 4 * 4 * 262'144 + 4 * roomOf(*made.schedule));
    EXPECT_LE(moved(made.plan->steady.steps), passed(made));
}

TEST(Plan, TightLoopsAreVerified) {
    std::vector<Stream> parts{source("A", 7)};
    for (std::int64_t p : {11, 13}) parts.push_back(filter("F", p, p - 2, 3 * p));
    parts.push_back(sink("Z", 5, 60));
    Planned made{pipeline("Main", parts)};
    for (Order order : kOrders) {
        made.make(order).verified();
        EXPECT_LE(moved(made.plan->steady.steps), 2 * passed(made));
    }
}

// ------------------------------------------------------------------------------------- the state

TEST(Plan, ReadsOfTheOpenInputAreThoseOfTheInterpreter) {
    Planned made(withPrework(filter("F", 3, 1, 5), 2, 1, 3));
    made.make().verified();
    EXPECT_THAT(made.plan->init.reads, ElementsAre(4));  // two are taken and two must stay
    EXPECT_THAT(made.plan->steady.reads, ElementsAre(3));
    EXPECT_EQ(made.plan->channels[made.program.graph.input].retained, 2);
}

TEST(Plan, TooMuchMemoryIsReported) {
    // Each tape has room for the 1000 items that pass, but not both.
    Planned made(pipeline("Main", {source("A", 1000), filter("B", 1000, 1000), sink("Z", 1000)}),
                 1000);
    made.repetitions = sched::balance(made.context, made.program.graph);
    made.context.limits.totalBytes = 4'000'000;
    sched::Schedule schedule;
    schedule.steady.children = {{1, 0, {}}, {1, 1, {}}, {1, 2, {}}};
    EXPECT_FALSE(plan::plan(made.context, made.program, *made.repetitions, schedule));
    ASSERT_EQ(made.context.diags.all().size(), 1u);
    EXPECT_EQ(made.context.diags.all()[0].id, base::Diag::LimitExceeded);
}

// ------------------------------------------------------------------------------------- whyNot

TEST(PlanWhyNot, SaysWhatIsInTheWay) {
    auto why = [](const Stream& stream) { return whyNot(Planned(stream).program); };
    Stream dynamic = filter("D", 3, 1);
    dynamic.work.push = {0, graph::kUnbounded, true, -1};
    EXPECT_EQ(why(pipeline("Main", {source("A", 1), dynamic, sink("Z", 1)})), "");
    EXPECT_THAT(why(withPrework(filter("F", 1, 1), 1, 1, 9)), HasSubstr("open input"));
    EXPECT_EQ(why(withPrework(filter("F", 1, 1, 9), 1, 1, 9)), "");
    EXPECT_EQ(why(pipeline("Main", {source("A", 1), withPrework(filter("F", 1, 1), 1, 1, 9)})), "");
    EXPECT_EQ(why(withEffects(source("A", 1), graph::kPrints | graph::kNative)), "");
}

// ------------------------------------------------------------------------------------- scaled

std::int64_t scaledBy(const Stream& stream) {
    Planned made(stream);
    made.make().verified();
    return made.plan ? made.plan->scaled.iterations : -1;
}

TEST(PlanScaled, AsManyAsFit) {
    auto chain = [](std::int64_t items) {
        return pipeline("Main", {source("A", items), sink("Z", items)});
    };
    EXPECT_EQ(scaledBy(chain(1)), 1024);
    EXPECT_EQ(scaledBy(chain(100)), 640) << "655 would fit, but vectors like 16";
    EXPECT_EQ(scaledBy(chain(16384)), 8) << "whole vectors may take twice the room";
    EXPECT_EQ(scaledBy(chain(16385)), 0);
    EXPECT_EQ(scaledBy(chain(5000)), 16) << "13 would fit";
    EXPECT_EQ(scaledBy(chain(8000)), 16) << "8 would fit";
    Planned unwanted(chain(1));
    EXPECT_EQ(unwanted.make(Order::Buffers, false).plan->scaled.iterations, 0);
}

/// Of 64 items that come at once, 49 fit: two parts of 32 leave nothing that goes one by one.
TEST(PlanScaled, EqualPartsOfWhatComesAtOnce) {
    Planned made(pipeline("Main", {source("A", 1), filter("B", 1, 1), sink("C", 1)}), 660);
    made.make();
    const auto scaled = [&](std::int64_t most) {
        return plan::plan(made.context, made.program, *made.repetitions, *made.schedule,
                          {&*made.single, most})
            ->scaled.iterations;
    };
    EXPECT_EQ(scaled(INT64_MAX), 48);
    EXPECT_EQ(scaled(64), 32);
}

TEST(PlanScaled, WhereTheOrderCannotBeSeen) {
    auto program = [](std::uint8_t first, std::uint8_t second) {
        return pipeline("Main",
                        {withEffects(source("A", 3), first), withEffects(sink("C", 1), second)});
    };
    EXPECT_GT(scaledBy(program(0, graph::kPrints)), 0);
    EXPECT_GT(scaledBy(program(graph::kRandom, graph::kPrints)), 0);
    EXPECT_EQ(scaledBy(program(graph::kPrints, graph::kPrints)), 0);
    EXPECT_EQ(scaledBy(program(graph::kRandom, graph::kRandom | graph::kPrints)), 0);
    EXPECT_EQ(scaledBy(program(0, graph::kNative)), 0);  // what cannot be undone
    EXPECT_EQ(scaledBy(program(graph::kSends, 0)), 0);
}

/// In the steady state A and F are in a loop, so that their tape is short.
TEST(PlanScaled, LoopsAreTakenApart) {
    Planned made(pipeline("Main", {source("A", 1), filter("F", 1, 1, 3), sink("Z", 64)}));
    made.make().verified();
    ASSERT_EQ(made.plan->steady.steps[0].kind, StepKind::Loop);
    EXPECT_EQ(made.plan->scaled.steps[0].kind, StepKind::Fire);
    EXPECT_EQ(made.plan->scaled.steps[0].count, 64 * made.plan->scaled.iterations);
}

TEST(PlanScaled, FeedbackLoopsAreRepeatedAsTheyAre) {
    Planned made(pipeline(
        "Main", {source("A", 60),
                 feedbackloop("L", {1, 1}, filter("Body", 2, 1), filter("Back", 1, 1), {}, 1),
                 sink("Z", 60)}));
    made.make().verified();
    ASSERT_GT(made.plan->scaled.iterations, 1);
    EXPECT_EQ(made.plan->scaled.steps[1].kind, StepKind::Loop);
    EXPECT_EQ(made.plan->scaled.steps[1].count, 60 * made.plan->scaled.iterations);
}

/// A loop with `delay` items waiting in it, between a source and a sink of one item.
Stream echo(std::size_t delay) {
    return pipeline(
        "Main", {source("A", 1),
                 feedbackloop("L", {1, 1}, filter("Body", 2, 1), filter("Back", 1, 1), {}, delay),
                 sink("Z", 1)});
}

std::vector<std::int64_t> counts(const std::vector<plan::Step>& steps) {
    std::vector<std::int64_t> list;
    for (const plan::Step& step : steps)
        if (step.kind != StepKind::Move) list.push_back(step.count);
    return list;
}

TEST(PlanScaled, FeedbackLoopsAreDoneInBlocksOfTheirDelay) {
    Planned made(echo(1000));
    made.make().verified();
    EXPECT_EQ(made.plan->scaled.iterations, 1024);
    EXPECT_THAT(counts(made.plan->scaled.steps), ElementsAre(1024, 992, 992, 32, 32, 1024));
}

TEST(PlanScaled, ShortDelaysMakeShortBlocks) {
    Planned made(echo(7));
    made.make().verified();
    const std::vector<plan::Step>& steps = made.plan->scaled.steps;
    EXPECT_THAT(counts(steps), ElementsAre(1024, 146, 2, 2, 1024));
    EXPECT_THAT(counts(steps[1].body), ElementsAre(7, 7));
}

TEST(PlanScaled, WhatWaitsIsAReasonToScaleMore) {
    Planned made(echo(100'000));
    made.make().verified();
    EXPECT_EQ(made.plan->scaled.iterations, 2048);
    EXPECT_THAT(counts(made.plan->scaled.steps), ElementsAre(2048, 2048, 2048, 2048));
}

/// Between two of the windows that stay, as many items pass as fit.
TEST(PlanScaled, MovesOfWindowsAreShared) {
    Planned made(pipeline("Main", {source("A", 1), filter("F", 1, 1, 257), sink("Z", 1)}));
    made.make().verified();
    EXPECT_EQ(moved(made.plan->steady.steps), 256);
    EXPECT_EQ(moved(made.plan->scaled.steps), 256);
    EXPECT_EQ(made.plan->scaled.iterations, 1024);
}

// ------------------------------------------------------------------------------------- verify

class PlanVerify : public ::testing::Test {
protected:
    PlanVerify()
        : made(pipeline("Main", {withPrework(source("A", 1), 0, 2), filter("F", 1, 1, 3),
                                 feedbackloop("L", {1, 1}, filter("Body", 2, 2),
                                              filter("Back", 1, 1), {1, 1}, 1),
                                 sink("Z", 4)})) {
        made.make().verified();
    }
    /// Faults after `change`.
    template <typename Change>
    std::vector<std::string> after(Change change) {
        Plan broken = *made.plan;
        change(broken);
        return verify(broken, *made.repetitions);
    }
    Planned made;
};

TEST_F(PlanVerify, SeesEachNumberThatIsWrong) {
    ASSERT_FALSE(HasFailure());
    int changes = 0;
    auto change = [&](auto&& self, Plan& plan, std::vector<Step>& list, int& countdown) -> void {
        auto one = [&](std::int64_t& number) {
            if (countdown-- == 0) ++number;
        };
        for (Step& step : list) {
            if (step.kind != StepKind::Move) one(step.count);  // moving more may be harmless
            for (auto* positions : {&step.inputs, &step.outputs})
                for (Position& position : *positions) {
                    one(position.base);
                    for (std::int64_t& each : position.perIteration) one(each);
                }
            self(self, plan, step.body, countdown);
        }
    };
    for (int which = 0;; ++which) {
        int countdown = which;
        auto faults = after([&](Plan& plan) {
            for (Phase* phase : {&plan.init, &plan.steady, &plan.scaled})
                change(change, plan, phase->steps, countdown);
        });
        if (countdown >= 0) break;
        EXPECT_THAT(faults, Not(IsEmpty())) << "number " << which << '\n' << print(*made.plan);
        ++changes;
    }
    EXPECT_GT(changes, 30);
}

TEST_F(PlanVerify, SeesWhatIsWrongWithTheState) {
    EXPECT_THAT(after([](Plan& plan) { plan.stateSize -= 64; }), Not(IsEmpty()));
    EXPECT_THAT(after([](Plan& plan) { plan.channels[0].offset = plan.channels[1].offset; }),
                Not(IsEmpty()));
    EXPECT_THAT(after([](Plan& plan) { plan.channels[0].offset += 4; }), Not(IsEmpty()));
    EXPECT_THAT(after([](Plan& plan) { --plan.channels[0].capacity; }), Not(IsEmpty()));
    EXPECT_THAT(after([](Plan& plan) { plan.image[0] = 'x'; }), Not(IsEmpty()));
    EXPECT_THAT(after([](Plan& plan) { ++plan.channels[0].retained; }), Not(IsEmpty()));
    EXPECT_THAT(after([](Plan& plan) { plan.init.steps[0].first = !plan.init.steps[0].first; }),
                Not(IsEmpty()));
    EXPECT_THAT(after([](Plan& plan) { ++plan.scaled.iterations; }), Not(IsEmpty()));
    EXPECT_THAT(after([](Plan& plan) { plan.steady.reads.push_back(1); }), Not(IsEmpty()));
}

// ------------------------------------------------------------------------------------- sizes

TEST(PlanSizes, TenThousandFilters) {
    std::vector<Stream> parts{source("A", 1)};
    for (int i = 0; i < 10'000; ++i) parts.push_back(filter("F", 1 + i % 2, 2 - i % 2));
    parts.push_back(sink("Z", 1));
    Planned made{pipeline("Main", parts)};
    made.make().verified();
    EXPECT_LT(steps(made.plan->steady.steps), 80'000);
}

TEST(PlanSizes, TenThousandBranches) {
    std::vector<Stream> branches;
    for (int i = 0; i < 10'000; ++i) branches.push_back(filter("F", 1, 1, i % 5));
    Planned made{pipeline("Main", {source("A", 1), splitjoin("S", {}, branches), sink("Z", 1)})};
    made.make().verified();
    EXPECT_LT(steps(made.plan->steady.steps), 50'000);
}

/// An order without loops, as visible effects may prescribe it.
TEST(PlanSizes, AMillionSteps) {
    Planned made(pipeline("Main", {source("A", 3), filter("B", 2, 2, 5), sink("C", 1)}));
    made.repetitions = sched::balance(made.context, made.program.graph);
    sched::Schedule schedule;
    schedule.init.children = {{1, 0, {}}};
    for (int i = 0; i < 125'000; ++i)
        for (const auto& [count, node] :
             {std::pair{2, 0}, {1, 1}, {2, 2}, {1, 1}, {1, 2}, {1, 1}, {3, 2}, {0, 0}})
            if (count > 0)
                schedule.steady.children.push_back({count, static_cast<NodeId>(node), {}});
    for (std::int64_t& count : made.repetitions->steady) count *= 125'000;
    made.plan = plan::plan(made.context, made.program, *made.repetitions, schedule);
    made.verified();
    EXPECT_LE(made.channel("A", "B").capacity, 263'000);
    EXPECT_EQ(made.channel("B", "C").capacity, 4);
}

// ------------------------------------------------------------------------------------- random

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
        const auto repetitions = sched::balance(context, graph);
        if (!repetitions) continue;
        const std::int64_t firings =
            std::accumulate(repetitions->steady.begin(), repetitions->steady.end(), INT64_C(0));
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
