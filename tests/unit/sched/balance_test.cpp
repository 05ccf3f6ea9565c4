#include "sched/balance.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/flow.h"
#include "support/naive.h"
#include "support/random_streams.h"
#include "support/streams.h"

namespace strc::sched {
namespace {

using namespace testing;
using base::Diag;
using graph::Graph;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Outcome {
    base::Context context;
    std::optional<graph::Repetitions> repetitions;
};

std::unique_ptr<Outcome> balanced(const Graph& graph) {
    auto outcome = std::make_unique<Outcome>();
    outcome->repetitions = balance(outcome->context, graph);
    EXPECT_EQ(outcome->repetitions.has_value(), !outcome->context.diags.hasErrors());
    return outcome;
}

std::string text(const base::Diagnostic& diagnostic) {
    std::string all = message(diagnostic.id, diagnostic.args);
    for (const auto& note : diagnostic.notes) all += "\n" + message(note.id, note.args);
    return all;
}

/// The only error, which has to be this one, with its notes.
std::string fault(const Graph& graph, Diag expected, base::SourceRange where) {
    auto outcome = balanced(graph);
    const auto& all = outcome->context.diags.all();
    if (all.size() != 1) return std::to_string(all.size()) + " errors";
    EXPECT_EQ(all[0].id, expected);
    EXPECT_EQ(all[0].range, where);
    return text(all[0]);
}

std::vector<std::int64_t> steady(const Graph& graph) {
    return balanced(graph)->repetitions->steady;
}
std::vector<std::int64_t> init(const Graph& graph) { return balanced(graph)->repetitions->init; }

// ------------------------------------------------------------------------------- repetitions

TEST(Balance, SmallestRepetitions) {
    const Graph graph =
        build(pipeline("Main", {source("A", 4), filter("B", 6, 10), sink("C", 15)}));
    EXPECT_THAT(steady(graph), ElementsAre(9, 6, 4));
}

TEST(Balance, PeeksHaveNoPart) {
    const Graph graph =
        build(pipeline("Main", {source("A", 2), filter("B", 3, 1, 100), sink("C", 2, 9)}));
    EXPECT_THAT(steady(graph), ElementsAre(3, 2, 1));
}

TEST(Balance, OneFilterAlone) { EXPECT_THAT(steady(build(filter("Only", 3, 2))), ElementsAre(1)); }

TEST(Balance, SplitjoinsAndVoidSides) {
    const Graph graph = build(pipeline(
        "Main",
        {source("A", 1),
         splitjoin("J", {2, 1}, {filter("I", 1, 1), filter("B", 1, 2), source("K", 1)}, {2, 2, 1}),
         sink("Z", 5)}));
    EXPECT_EQ(steady(graph)[node(graph, "A")], 3);
    EXPECT_EQ(steady(graph)[node(graph, "I")], 2);
    EXPECT_EQ(steady(graph)[node(graph, "K")], 1);
}

TEST(Balance, TwoHundredMillionFirings) {
    std::vector<Stream> parts{source("A", 1)};
    for (int i = 0; i < 8; ++i) parts.push_back(filter("F", 1, 1));
    parts.push_back(filter("Slow", 24'000'000, 1));
    parts.push_back(sink("Z", 1));
    const Graph graph = build(pipeline("Main", parts));
    EXPECT_EQ(steady(graph)[0], 24'000'000);
}

TEST(Balance, OverflowIsAnError) {
    std::vector<Stream> parts{source("A", 1)};
    for (int i = 0; i < 5; ++i) parts.push_back(filter("R" + std::to_string(i), 1, 65'536));
    parts.push_back(sink("Z", 1));
    const Graph graph = build(pipeline("Main", parts));
    EXPECT_EQ(fault(graph, Diag::RepetitionOverflow, graph.nodes[node(graph, "R4")].range),
              "a steady state needs more than 1152921504606846976 firings of 'Main.R4'");
}

TEST(Balance, OverflowOfCommonMultiples) {
    std::vector<Stream> parts{source("A", 1)};
    for (std::int64_t prime : {2147483647, 2147483629, 2147483587, 2147483579, 2147483563}) {
        parts.push_back(filter("F", prime, prime - 1));
    }
    parts.push_back(sink("Z", 1));
    auto outcome = balanced(build(pipeline("Main", parts)));
    ASSERT_THAT(outcome->context.diags.all(), SizeIs(1));
    EXPECT_EQ(outcome->context.diags.all()[0].id, Diag::RepetitionOverflow);
}

TEST(Balance, ItemsOfASteadyStateAreCountedToo) {
    const Graph graph =
        build(pipeline("Main", {source("A", INT64_C(1) << 30), sink("Z", (INT64_C(1) << 31) - 1)}));
    auto outcome = balanced(graph);
    ASSERT_THAT(outcome->context.diags.all(), SizeIs(1));
    EXPECT_EQ(outcome->context.diags.all()[0].id, Diag::RepetitionOverflow);
}

TEST(Balance, TenThousandNodes) {
    std::vector<Stream> branches;
    for (int i = 0; i < 5'000; ++i) {
        branches.push_back(pipeline("P", {filter("F", 1, 1, 2), filter("G", 1, 1)}));
    }
    const Graph graph =
        build(pipeline("Main", {source("A", 1), splitjoin("S", {}, branches), sink("Z", 5'000)}));
    const auto repetitions = balanced(graph)->repetitions;
    EXPECT_THAT(repetitions->steady, Each(1));
    EXPECT_EQ(repetitions->init[node(graph, "A")], 1);
    EXPECT_EQ(repetitions->init[node(graph, "F")], 0);
}

TEST(Balance, DeepNesting) {
    Stream stream = filter("F", 1, 1);
    for (int i = 0; i < 1'000; ++i) stream = pipeline("P", {std::move(stream), filter("G", 1, 1)});
    const Graph graph = build(pipeline("Main", {source("A", 1), stream, sink("Z", 1)}));
    EXPECT_THAT(steady(graph), Each(1));
}

TEST(Balance, DynamicEdgesCut) {
    Stream dynamic = filter("D", 3, 1);
    dynamic.work.push = {0, graph::kUnbounded, true, -1};
    const Graph graph =
        build(pipeline("Main", {source("A", 2), dynamic, filter("B", 4, 3), sink("Z", 2)}));
    const auto repetitions = balanced(graph)->repetitions;
    EXPECT_THAT(repetitions->steady, ElementsAre(3, 2, 2, 3));
    EXPECT_EQ(repetitions->islands, 2u);
    EXPECT_THAT(repetitions->island, ElementsAre(0, 0, 1, 1));
}

TEST(Balance, OpenEnds) {
    const Graph graph = build(pipeline("Main", {filter("A", 2, 3), filter("B", 2, 5)}));
    EXPECT_THAT(steady(graph), ElementsAre(2, 3));
}

// -------------------------------------------------------------------------------- what is wrong

TEST(Balance, InconsistentSplitjoin) {
    const Graph graph = build(pipeline(
        "Main", {source("Source", 1),
                 splitjoin("Both", {}, {filter("Identity", 1, 1), filter("Twice", 1, 2)}, {1, 1}),
                 sink("Sink", 1)}));
    EXPECT_EQ(
        fault(graph, Diag::InconsistentRates, graph.composites[composite(graph, "Both")].header),
        "the rates in splitjoin 'Both' do not balance: 'Identity' gives 1 item while 'Twice' "
        "gives 2, but the join takes 1 and 1\n"
        "'Identity' makes 1 item of 1 item\n"
        "'Twice' makes 2 items of 1 item\n"
        "'join roundrobin(1, 2)' would balance them");
}

TEST(Balance, InconsistentLoop) {
    const Graph graph = build(pipeline(
        "Main", {source("Source", 1),
                 feedbackloop("Loop", {1, 1}, filter("Add", 2, 1), filter("Twice", 1, 2), {}, 1),
                 sink("Sink", 1)}));
    EXPECT_EQ(
        fault(graph, Diag::InconsistentRates, graph.composites[composite(graph, "Loop")].header),
        "the rates in feedbackloop 'Loop' do not balance: the loop gives back 2 items for "
        "each 1 that the join takes\n"
        "'Add' makes 1 item of 2 items\n"
        "'Twice' makes 2 items of 1 item\n"
        "'Twice' would have to make 1 item of 1 item, or 'Add' 1 item of 4 items");
}

/// A loop stream that passes everything on is hardly what is wrong.
TEST(Balance, InconsistentBodyOfALoop) {
    const Graph graph = build(pipeline(
        "Main", {source("Source", 1),
                 feedbackloop("Loop", {1, 1}, filter("Sum", 2, 3), filter("Up", 1, 1), {}, 1),
                 sink("Sink", 1)}));
    EXPECT_THAT(
        fault(graph, Diag::InconsistentRates, graph.composites[composite(graph, "Loop")].header),
        ::testing::HasSubstr(
            "'Sum' would have to make 1 item of 2 items, or 'Up' 1 item of 3 items"));
}

TEST(Balance, TheInnermostCompositeIsNamed) {
    const Graph graph = build(pipeline(
        "Main",
        {source("Source", 1),
         splitjoin("Outer", {2, 1},
                   {pipeline("P", {splitjoin("Inner", {3, 1},
                                             {filter("X", 1, 1), filter("Y", 1, 1)}, {1, 1})}),
                    filter("Q", 1, 7)},
                   {1, 1}),
         sink("Sink", 1)}));
    const std::string message =
        fault(graph, Diag::InconsistentRates, graph.composites[composite(graph, "Inner")].header);
    EXPECT_THAT(message, ::testing::HasSubstr("splitjoin 'Inner'"));
    EXPECT_THAT(message, ::testing::HasSubstr("'X' gives 3 items while 'Y' gives 1, but the join "
                                              "takes 1 and 1"));
    EXPECT_THAT(message, ::testing::HasSubstr("'join roundrobin(3, 1)' would balance them"));
}

TEST(Balance, IndependentFaultsAreAllReported) {
    auto wrong = [](const std::string& name) {
        return splitjoin(name, {1, 1}, {filter("X", 1, 1), filter("Y", 1, 2)}, {1, 1});
    };
    const Graph graph =
        build(pipeline("Main", {source("Source", 1), wrong("One"), wrong("Two"), sink("Sink", 1)}));
    auto outcome = balanced(graph);
    ASSERT_THAT(outcome->context.diags.all(), SizeIs(2));
    EXPECT_EQ(outcome->context.diags.all()[0].args[1], "One");
    EXPECT_EQ(outcome->context.diags.all()[1].args[1], "Two");
}

TEST(Balance, ManyBranchesAreNotAllDescribed) {
    std::vector<Stream> branches;
    for (int i = 0; i < 100; ++i) branches.push_back(filter("F", 1, 1 + i % 7));
    const Graph graph =
        build(pipeline("Main", {source("A", 1), splitjoin("S", {}, branches), sink("Z", 1)}));
    auto outcome = balanced(graph);
    ASSERT_THAT(outcome->context.diags.all(), SizeIs(1));
    EXPECT_LE(outcome->context.diags.all()[0].notes.size(), 5u);
}

TEST(Balance, DisconnectedParts) {
    Graph graph = build(pipeline("Main", {source("A", 1), sink("B", 1)}));
    const Graph other = build(pipeline("Main", {source("C", 1), sink("D", 1)}));
    for (graph::Node node : other.nodes) {
        for (auto& id : node.inputs) id += 1;
        for (auto& id : node.outputs) id += 1;
        graph.nodes.push_back(node);
    }
    graph::Edge edge = other.edges[0];
    edge.from += 2;
    edge.to += 2;
    graph.edges.push_back(edge);
    EXPECT_EQ(fault(graph, Diag::DisconnectedGraph, graph.composites[0].header),
              "no items flow between 'Main.A' and 'Main.C'");
}

// --------------------------------------------------------------------------------------- init

/// Check program C4 of the language reference.
TEST(Balance, OnlyThePreworkRuns) {
    const Graph graph =
        build(pipeline("Main", {source("S", 1), withPrework(filter("D", 1, 1), 0, 2),
                                filter("P", 1, 1, 3), sink("Out", 1)}));
    EXPECT_THAT(init(graph), ElementsAre(0, 1, 0, 0));
    EXPECT_THAT(steady(graph), Each(1));
}

TEST(Balance, PeekWindowsAreFilled) {
    const Graph graph = build(pipeline(
        "Main", {source("S", 1), filter("P", 2, 3, 7), filter("Q", 1, 1, 5), sink("Out", 1)}));
    // Q wants 4 items: P fires twice, takes 4, looks at 9, and leaves 5 of them.
    EXPECT_THAT(init(graph), ElementsAre(9, 2, 0, 0));
}

TEST(Balance, InitIsHugeWithoutBeingSlow) {
    const Graph graph =
        build(pipeline("Main", {source("S", 1), filter("P", 1000, 1), sink("Out", 1, 24'000'000)}));
    EXPECT_THAT(init(graph), ElementsAre(23'999'999'000, 23'999'999, 0));
}

TEST(Balance, CountsOfTheReferenceAlgorithm) {
    std::mt19937 engine(3);
    int compared = 0;
    int deadlocks = 0;
    for (int round = 0; round < 300; ++round) {
        const auto bytes = randomBytes(engine, 300);
        Choices choices(bytes);
        const Graph graph = build(randomProgram(choices, {.depth = 2, .starved = 128}));
        base::Context context;
        const auto repetitions = balance(context, graph);
        Naive naive(graph);
        if (!repetitions) {
            ASSERT_EQ(context.diags.all()[0].id, Diag::Deadlock);
            const bool starts = naive.initialise();
            std::vector<std::int64_t> many(graph.nodes.size(), 3000);
            ASSERT_TRUE(!starts || !naive.steady(many)) << "round " << round;
            ++deadlocks;
            continue;
        }
        ASSERT_TRUE(naive.initialise()) << "round " << round;
        ASSERT_EQ(naive.fired, repetitions->init) << "round " << round;
        const auto before = naive.items;
        if (std::accumulate(repetitions->steady.begin(), repetitions->steady.end(), INT64_C(0)) >
            20'000)
            continue;
        ASSERT_TRUE(naive.steady(repetitions->steady)) << "round " << round;
        ASSERT_EQ(naive.items, before) << "round " << round;
        ++compared;
    }
    EXPECT_GT(compared, 150);
    EXPECT_GT(deadlocks, 10);
}

// ----------------------------------------------------------------------------------- deadlock

Graph loopWith(Stream body, std::size_t enqueued) {
    return build(pipeline(
        "Main", {source("Source", 1),
                 feedbackloop("Loop", {1, 1}, std::move(body), filter("Back", 1, 1), {}, enqueued),
                 sink("Sink", 1)}));
}

TEST(Balance, NothingEnqueued) {
    const Graph graph = loopWith(filter("Add", 2, 1), 0);
    EXPECT_EQ(fault(graph, Diag::Deadlock, graph.composites[composite(graph, "Loop")].header),
              "feedbackloop 'Loop' deadlocks: 'Add' waits for items that never come\n"
              "the loop goes through 'Add', 'split', 'Back', 'join'\n"
              "1 more enqueued item would let it run");
}

TEST(Balance, TooFewForThePeek) {
    const Graph graph = loopWith(filter("Next", 2, 1, 8), 1);
    const std::string message =
        fault(graph, Diag::Deadlock, graph.composites[composite(graph, "Loop")].header);
    EXPECT_THAT(message, ::testing::HasSubstr("3 more enqueued items would let it run"));
    EXPECT_TRUE(balanced(loopWith(filter("Next", 2, 1, 8), 4))->repetitions);
}

TEST(Balance, TheInnermostLoopIsBlamed) {
    auto inner = feedbackloop("Inner", {1, 1}, filter("Add", 2, 1), filter("Back", 1, 1), {}, 0);
    const Graph graph = build(
        pipeline("Main", {source("Source", 1),
                          feedbackloop("Outer", {1, 1}, pipeline("P", {filter("Sum", 2, 1), inner}),
                                       filter("Home", 1, 1), {}, 5),
                          sink("Sink", 1)}));
    fault(graph, Diag::Deadlock, graph.composites[composite(graph, "Inner")].header);
}

TEST(Balance, OnlyTheOuterLoopIsBlamed) {
    auto inner = feedbackloop("Inner", {1, 1}, filter("Add", 2, 1), filter("Back", 1, 1), {}, 1);
    const Graph graph = build(
        pipeline("Main", {source("Source", 1),
                          feedbackloop("Outer", {1, 1}, pipeline("P", {filter("Sum", 2, 1), inner}),
                                       filter("Home", 1, 1), {}, 0),
                          sink("Sink", 1)}));
    fault(graph, Diag::Deadlock, graph.composites[composite(graph, "Outer")].header);
}

TEST(Balance, ALoopThatOnlyAFineInterleavingRuns) {
    // As one block the body would need two items from the loop at once; one after the other is fine.
    const Graph graph = build(pipeline(
        "Main",
        {source("Source", 1),
         feedbackloop("Loop", {1, 1}, pipeline("Body", {filter("Up", 2, 3), filter("Down", 1, 1)}),
                      filter("Back", 1, 1), {2, 1}, 1),
         sink("Sink", 2)}));
    EXPECT_TRUE(balanced(graph)->repetitions);
}

TEST(Balance, APreworkCanStartALoop) {
    const Graph graph =
        build(pipeline("Main", {source("Source", 1),
                                feedbackloop("Loop", {1, 1}, filter("Add", 2, 1),
                                             withPrework(filter("Back", 1, 1), 0, 1), {}, 0),
                                sink("Sink", 1)}));
    const auto repetitions = balanced(graph)->repetitions;
    ASSERT_TRUE(repetitions);
    EXPECT_EQ(repetitions->init[node(graph, "Back")], 1);
}

TEST(Balance, TheSearchIsLimited) {
    const Graph graph =
        build(pipeline("Main", {source("Source", 1),
                                feedbackloop("Loop", {1, 1}, filter("Add", 2, 10'007),
                                             filter("Back", 10'007, 1), {}, 1'000),
                                sink("Sink", 1)}));
    Outcome outcome;
    outcome.context.limits.simulationSteps = 10;
    EXPECT_FALSE(balance(outcome.context, graph));
    ASSERT_THAT(outcome.context.diags.all(), SizeIs(1));
    EXPECT_EQ(outcome.context.diags.all()[0].id, Diag::LimitExceeded);
    EXPECT_TRUE(balanced(graph)->repetitions);
}

// ----------------------------------------------------------------------------------- messages

Graph messages(std::int64_t latency, bool downstream) {
    Graph graph = build(pipeline(
        "Main", {source("Up", 1), filter("Ahead", 1, 1, 3), filter("Down", 1, 1), sink("Out", 1)}));
    graph::MessageLink link;
    link.sender = node(graph, downstream ? "Up" : "Down");
    link.receiver = node(graph, downstream ? "Down" : "Up");
    link.downstream = downstream;
    link.minLatency = latency;
    link.range = graph.nodes[1].range;
    graph.messages.push_back(link);
    return graph;
}

/// Check program C8 with the latencies 0 and -1.
TEST(Balance, UpstreamLatencies) {
    EXPECT_TRUE(balanced(messages(0, false))->repetitions);
    EXPECT_TRUE(balanced(messages(7, false))->repetitions);
    const Graph graph = messages(-1, false);
    EXPECT_EQ(fault(graph, Diag::ImpossibleLatency, graph.messages[0].range),
              "no schedule can deliver messages from 'Main.Down' to 'Main.Up' with latency -1");
}

TEST(Balance, NegativeDownstreamLatencyLetsTheSenderRunAhead) {
    const Graph plain = messages(0, true);
    EXPECT_THAT(init(plain), ElementsAre(2, 0, 0, 0));
    // Down's first firing needs 3 of Up; five more have to be over.
    const Graph graph = messages(-5, true);
    EXPECT_THAT(init(graph), ElementsAre(7, 0, 0, 0));
}

TEST(Balance, MessagesNeedAPath) {
    Graph graph = build(pipeline(
        "Main",
        {source("A", 1), splitjoin("S", {}, {filter("B", 1, 1), sink("Tap", 1)}), sink("Z", 1)}));
    graph::MessageLink link;
    link.sender = node(graph, "Tap");
    link.receiver = node(graph, "Z");
    link.minLatency = 0;
    link.range = graph.nodes[0].range;
    graph.messages.push_back(link);
    fault(graph, Diag::NoMessagePath, link.range);
}

// ------------------------------------------------------------------------------------- memory

TEST(Balance, ATapeHasToFitIntoMemory) {
    const Graph graph = build(pipeline("Main", {source("A", 1), sink("Z", 2'147'483'647)}));
    Outcome outcome;
    outcome.context.limits.totalBytes = 2'147'483'647;
    EXPECT_TRUE(balance(outcome.context, graph));
    outcome.context.limits.totalBytes = 1'000'000;
    EXPECT_FALSE(balance(outcome.context, graph));
    ASSERT_THAT(outcome.context.diags.all(), SizeIs(1));
    EXPECT_EQ(text(outcome.context.diags.all()[0]),
              "the tape from 'Main.A' to 'Main.Z' would have to hold more than 1000000 items\n"
              "tapes may take 1000000 bytes, and an item takes 1");
}

TEST(Balance, TapesThatHoldItemsInTurnMayShareMemory) {
    const Graph graph =
        build(pipeline("Main", {source("A", 1), filter("F", 600'000, 600'000), sink("Z", 1)}));
    Outcome outcome;
    outcome.context.limits.totalBytes = 1'000'000;
    EXPECT_TRUE(balance(outcome.context, graph));
}

TEST(Balance, ItemsThatStayHaveToFitTogether) {
    const Graph graph = build(pipeline(
        "Main", {source("A", 1), splitjoin("S", {}, {sink("Now", 1), sink("Late", 1, 900'000)})}));
    Outcome outcome;
    outcome.context.limits.totalBytes = 500'000;
    EXPECT_FALSE(balance(outcome.context, graph));
    EXPECT_EQ(outcome.context.diags.all()[0].id, Diag::BufferOverflow);
}

}  // namespace
}  // namespace strc::sched
