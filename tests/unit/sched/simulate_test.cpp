#include "sched/detail/simulate.h"

#include <chrono>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/balance.h"
#include "sched/detail/flatten.h"
#include "sched/detail/fold.h"
#include "support/naive.h"
#include "support/random_streams.h"
#include "support/streams.h"

namespace strc::sched {
namespace {

using namespace testing;
using graph::Graph;
using graph::NodeId;

std::string text(const Body& body) {
    std::string all;
    for (const Loop& loop : body) {
        if (!all.empty()) all += ' ';
        const std::string count = loop.count == 1 ? "" : std::to_string(loop.count);
        all += loop.isLeaf() ? count + static_cast<char>('A' + loop.node)
                             : count + '(' + text(loop.children) + ')';
    }
    return all;
}

void expand(const Body& body, std::vector<NodeId>& sequence) {
    for (const Loop& loop : body) {
        for (std::int64_t i = 0; i < loop.count; ++i) {
            if (loop.isLeaf()) {
                sequence.push_back(loop.node);
            } else {
                expand(loop.children, sequence);
            }
        }
    }
}

// ---------------------------------------------------------------------------------- folding

std::string folded(const std::string& sequence) {
    Folder folder;
    for (std::size_t i = 0; i < sequence.size();) {
        std::size_t end = i;
        while (end < sequence.size() && sequence[end] == sequence[i]) ++end;
        folder.append(static_cast<NodeId>(sequence[i] - 'A'), static_cast<std::int64_t>(end - i));
        i = end;
    }
    return text(folder.finish());
}

TEST(Folder, FindsLoopsAndLoopsOfLoops) {
    EXPECT_EQ(folded("ABC"), "A B C");
    EXPECT_EQ(folded("AAAB"), "3A B");
    EXPECT_EQ(folded("ABABAB"), "3(A B)");
    EXPECT_EQ(folded("ABABCABABC"), "2(2(A B) C)");
    EXPECT_EQ(folded("CABABABCABABABCABABAB"), "3(C 3(A B))");
    EXPECT_EQ(folded("ABABABB"), "2(A B) A 2B");
    EXPECT_EQ(folded("ABCABCABDABCABCABD"), "2(2(A B C) A B D)");
}

TEST(Folder, LongPeriods) {
    Folder folder;
    for (int round = 0; round < 5; ++round) {
        for (NodeId node = 0; node < 3'000; ++node) folder.append(node, 1 + node % 3);
    }
    const Body body = folder.finish();
    ASSERT_EQ(body.size(), 1u);
    EXPECT_EQ(body[0].count, 5);
    EXPECT_EQ(body[0].children.size(), 3'000u);
}

TEST(Folder, WhatStandsAloneStaysOutside) {
    Folder folder;
    for (int round = 0; round < 3; ++round) {
        folder.append(0, 1, true);
        folder.append(1, 2);
    }
    EXPECT_EQ(folder.size(), 6);
    EXPECT_EQ(text(folder.finish()), "A 2B A 2B A 2B");
}

TEST(Folder, ExpandsToWhatWasAppended) {
    std::mt19937 engine(4);
    for (int round = 0; round < 300; ++round) {
        // Repeat a random word, then repeat the result, so that there is something to find.
        std::vector<NodeId> word(1 + engine() % 5);
        for (NodeId& node : word) node = engine() % 3;
        for (int level = 0; level < 3; ++level) {
            const std::vector<NodeId> once = word;
            for (std::size_t i = engine() % 4; i > 0; --i)
                word.insert(word.end(), once.begin(), once.end());
            if (engine() % 2) word.push_back(engine() % 3);
        }
        Folder folder;
        for (std::size_t i = 0; i < word.size();) {
            std::size_t end = i;
            while (end < word.size() && word[end] == word[i]) ++end;
            folder.append(word[i], static_cast<std::int64_t>(end - i));
            i = end;
        }
        std::vector<NodeId> back;
        expand(folder.finish(), back);
        ASSERT_EQ(back, word) << "round " << round;
    }
}

// -------------------------------------------------------------------------------- simulation

std::vector<NodeId> allNodes(const Graph& graph) {
    std::vector<NodeId> nodes(graph.nodes.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
}

Simulated simulateSteady(const Graph& graph, Policy policy = Policy::DownstreamFirst,
                         Bounds bounds = {}) {
    base::Context context;
    const auto repetitions = balance(context, graph);
    EXPECT_TRUE(repetitions.has_value());
    return simulate(
        flatten(graph, allNodes(graph), repetitions->steady, stateAfter(graph, repetitions->init)),
        policy, bounds);
}

TEST(Simulate, MostDownstreamFirst) {
    const Graph graph = build(pipeline("Main", {source("A", 2), filter("B", 3, 1), sink("C", 2)}));
    EXPECT_EQ(text(simulateSteady(graph).body), "2A B A B C");
}

TEST(Simulate, ThoroughlyEachInTurn) {
    const Graph graph = build(pipeline("Main", {source("A", 2), filter("B", 3, 1), sink("C", 2)}));
    EXPECT_EQ(text(simulateSteady(graph, Policy::Thorough).body), "3A 2B C");
}

TEST(Simulate, NestedLoopsOfBillions) {
    const Graph graph =
        build(pipeline("Main", {source("A", 1), filter("B", 1, 1), filter("C", 1'000'000, 1),
                                filter("D", 1, 1), filter("E", 1'000, 3), sink("F", 7)}));
    const Simulated result = simulateSteady(graph);
    ASSERT_EQ(result.end, Simulated::End::Done);
    EXPECT_EQ(text(result.body), "3(1000(1000000(A B) C D) E) 2(F 2(1000(1000000(A B) C D) E)) F");
}

TEST(Simulate, ResamplingWithoutCommonFactor) {
    const Graph graph = build(pipeline("Main", {source("A", 147), sink("B", 160)}));
    const Simulated result = simulateSteady(graph);
    ASSERT_EQ(result.end, Simulated::End::Done);
    EXPECT_LT(leaves(result.body), 60);
}

TEST(Simulate, BoundsAreKept) {
    const Graph graph = build(pipeline("Main", {source("A", 10'007), sink("B", 6'001)}));
    EXPECT_EQ(simulateSteady(graph, Policy::DownstreamFirst, {.runs = 100}).end,
              Simulated::End::TooLong);
    EXPECT_EQ(simulateSteady(graph, Policy::DownstreamFirst, {.size = 10}).end,
              Simulated::End::TooLong);
}

TEST(Simulate, StuckWithoutItems) {
    const Graph graph = build(pipeline("Main", {source("A", 1), sink("B", 1)}));
    Network network = flatten(graph, {0, 1}, {3, 4}, startOf(graph));
    EXPECT_EQ(simulate(network, Policy::DownstreamFirst).end, Simulated::End::Stuck);
}

/// The order of language.md 12.6, firing by firing, with loops taken at one go and without.
TEST(Simulate, AgreesWithTheReferenceAlgorithm) {
    std::mt19937 engine(5);
    int compared = 0;
    for (int round = 0; round < 400; ++round) {
        const auto bytes = randomBytes(engine, 300);
        Choices choices(bytes);
        ProgramShape shape;
        shape.depth = 1 + round % 3;
        shape.rate = round % 5 == 0 ? 40 : 4;
        const Graph graph = build(randomProgram(choices, shape));
        base::Context context;
        const auto repetitions = balance(context, graph);
        if (!repetitions) continue;
        const auto& reps = repetitions->steady;
        if (std::accumulate(reps.begin(), reps.end(), INT64_C(0)) > 4'000) continue;
        Naive naive(graph);
        for (bool first : {true, false}) {
            std::vector<NodeId> expected;
            const State state = first ? startOf(graph) : stateAfter(graph, repetitions->init);
            const auto& firings = first ? repetitions->init : reps;
            ASSERT_TRUE(naive.steady(firings, &expected)) << "round " << round;
            for (bool accelerate : {true, false}) {
                const Simulated result = simulate(flatten(graph, allNodes(graph), firings, state),
                                                  Policy::DownstreamFirst, {}, accelerate);
                ASSERT_EQ(result.end, Simulated::End::Done) << "round " << round;
                std::vector<NodeId> sequence;
                expand(result.body, sequence);
                ASSERT_EQ(sequence, expected) << "round " << round << " first " << first;
            }
        }
        ++compared;
    }
    EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace strc::sched
