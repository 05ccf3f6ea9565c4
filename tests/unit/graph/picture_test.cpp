#include "graph/picture.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/context.h"
#include "graph/hierarchy.h"
#include "sched/balance.h"
#include "sched/schedule.h"
#include "support/random_streams.h"
#include "support/streams.h"

namespace strc::graph {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

struct Scheduled {
    explicit Scheduled(Graph given) : graph(std::move(given)) {
        base::Context context;
        repetitions = sched::balance(context, graph);
        if (repetitions)
            schedule =
                sched::schedule(context, graph, *repetitions, sched::Order::SingleAppearance);
    }
    Annotations notes() const { return {&*repetitions, &schedule->capacity}; }

    Graph graph;
    std::optional<Repetitions> repetitions;
    std::optional<sched::Schedule> schedule;
};

Graph sample() {
    return build(pipeline(
        "Main", {withPrework(source("Source", 2), 0, 1),
                 splitjoin("Both", {1, 3}, {filter("Fir", 1, 1, 4), filter("Gain", 1, 1)}, {1, 3}),
                 feedbackloop("Echo", {1, 1}, filter("Add", 2, 1), filter("Delay", 1, 1), {}, 2),
                 withEffects(sink("Sink", 1), kPrints | kSends)}));
}

// --------------------------------------------------------------------------------------- text

TEST(GraphText, TreeTapesAndMessages) {
    Graph graph = sample();
    MessageLink link;
    link.sender = node(graph, "Sink");
    link.receiver = node(graph, "Fir");
    link.downstream = false;
    link.minLatency = 3;
    graph.messages = {link};
    EXPECT_EQ(toText(graph),
              "pipeline Main\n"
              "  #0 filter Source [prework push 1] push 2\n"
              "  splitjoin Both\n"
              "    #1 split roundrobin(1, 3)\n"
              "    #2 filter Fir peek 4 pop 1 push 1\n"
              "    #3 filter Gain pop 1 push 1\n"
              "    #4 join roundrobin(1, 3)\n"
              "  feedbackloop Echo\n"
              "    #5 join roundrobin(1)\n"
              "    #6 filter Add pop 2 push 1\n"
              "    #7 split duplicate\n"
              "    #8 filter Delay pop 1 push 1\n"
              "  #9 filter Sink pop 1 prints sends\n"
              "tapes\n"
              "  #1 -> #2\n"
              "  #1.1 -> #3\n"
              "  #2 -> #4\n"
              "  #3 -> #4.1\n"
              "  #0 -> #1\n"
              "  #5 -> #6\n"
              "  #6 -> #7\n"
              "  #7.1 -> #8\n"
              "  #8 -> #5.1 initial {?, ?}\n"
              "  #4 -> #5\n"
              "  #7 -> #9\n"
              "messages\n"
              "  #9 -> #2 upstream latency 3\n");
}

TEST(GraphText, CountsAndBuffersWhereKnown) {
    const Scheduled all(build(pipeline("Main", {source("A", 2), sink("B", 3)})));
    EXPECT_EQ(toText(all.graph, all.notes()),
              "pipeline Main\n"
              "  #0 filter A push 2 [init 0 steady 3]\n"
              "  #1 filter B pop 3 [init 0 steady 2]\n"
              "tapes\n"
              "  #0 -> #1 buffer 6\n");
}

TEST(GraphText, DynamicRatesAndOpenEnds) {
    Stream dynamic = filter("D", 1, 1);
    dynamic.work.pop = {1, 8, true, 3};
    dynamic.work.peek = {0, kUnbounded, true, -1};
    dynamic.work.push = {2, kUnbounded, true, -1};
    EXPECT_EQ(toText(build(pipeline("P", {dynamic, filter("E", 1, 2)}))),
              "pipeline P\n"
              "  #0 filter D peek * pop [1, 3, 8] push [2, *]\n"
              "  #1 filter E pop 1 push 2\n"
              "tapes\n"
              "  #0 -> #1 dynamic\n"
              "  input -> #0 dynamic\n"
              "  #1 -> output\n");
}

// ---------------------------------------------------------------------------------------- DOT

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++n;
    return n;
}

TEST(Dot, ClustersRatesBuffersAndCounts) {
    const Scheduled all(sample());
    const std::string dot = toDot(all.graph, all.notes());
    EXPECT_THAT(dot, ::testing::StartsWith("digraph \"Main\" {\n"));
    EXPECT_THAT(dot, HasSubstr("label=\"pipeline Main\";"));
    EXPECT_THAT(dot, HasSubstr("label=\"splitjoin Both\";"));
    EXPECT_THAT(dot, HasSubstr("label=\"feedbackloop Echo\";"));
    EXPECT_THAT(dot, HasSubstr("[label=\"Source\\nprework push 1\\npush 2\\nfires "));
    EXPECT_THAT(dot, HasSubstr("[label=\"roundrobin(1, 3)\\nfires "));
    EXPECT_THAT(dot, HasSubstr("headlabel=\"1/4\""));
    EXPECT_THAT(dot, HasSubstr("2 initial"));
    EXPECT_EQ(count(dot, " -> "), all.graph.edges.size());
    EXPECT_EQ(count(dot, "{"), count(dot, "}"));
}

TEST(Dot, NamesAreQuoted) {
    Graph graph = build(pipeline("Ma\"in", {source("A\\", 1), sink("B", 1)}));
    const std::string dot = toDot(graph);
    EXPECT_THAT(dot, HasSubstr("digraph \"Ma\\\"in\""));
    EXPECT_THAT(dot, HasSubstr("label=\"A\\\\\\npush 1\""));
}

TEST(Dot, MessagesAndDynamicEdges) {
    Stream dynamic = filter("D", 1, 1);
    dynamic.work.push = {0, kUnbounded, true, -1};
    Graph graph = build(pipeline("Main", {source("A", 1), dynamic, sink("B", 1)}));
    MessageLink link;
    link.sender = 0;
    link.receiver = 2;
    link.bestEffort = true;
    graph.messages = {link};
    EXPECT_THAT(toDot(graph), HasSubstr("style=dashed"));
    EXPECT_THAT(toDot(graph), HasSubstr("n1 -> n3 [label=\"message [*]\", style=dotted"));
}

TEST(Dot, OpenEnds) {
    const std::string dot = toDot(build(pipeline("P", {filter("A", 1, 1), filter("B", 1, 1)})));
    EXPECT_THAT(dot, HasSubstr("input -> n1;"));
    EXPECT_THAT(dot, HasSubstr("n2 -> output;"));
}

Graph wide(int branches) {
    std::vector<Stream> all;
    for (int i = 0; i < branches; ++i) {
        all.push_back(i % 2 ? filter("Odd", 1, 1)
                            : pipeline("Even", {filter("Fir", 1, 1, 16), filter("Gain", 1, 1)}));
    }
    return build(pipeline("Main", {source("A", 1), splitjoin("Bank", {}, all), sink("Z", 1)}));
}

TEST(Dot, EqualSiblingsAreDrawnOnce) {
    const std::string dot = toDot(wide(10'000));
    EXPECT_THAT(dot, HasSubstr("label=\"pipeline Even × 5000\";"));
    EXPECT_THAT(dot, HasSubstr("[label=\"Odd × 5000\\npop 1 push 1\"];"));
    EXPECT_EQ(count(dot, "[label=\"Fir"), 1u);
    EXPECT_EQ(count(dot, " -> "), 7u);
    EXPECT_LT(dot.size(), 3'000u);
    EXPECT_EQ(count(toDot(wide(10'000), {}, {.fold = false}), "[label=\"Fir"), 5'000u);
}

TEST(Dot, SmallGraphsAreNotFolded) {
    EXPECT_EQ(count(toDot(wide(20)), "[label=\"Fir"), 10u);
    EXPECT_EQ(count(toDot(wide(20), {}, {true, 10}), "[label=\"Fir"), 1u);
}

TEST(Dot, BranchesServedDifferentlyAreNotEqual) {
    std::vector<std::int64_t> weights(200, 1);
    weights[7] = 2;
    std::vector<Stream> all;
    for (std::int64_t weight : weights) all.push_back(filter("F", weight, weight));
    for (Stream& stream : all) stream.work = rates(1, 1);
    const std::string dot = toDot(build(
        pipeline("Main", {source("A", 1), splitjoin("S", weights, all, weights), sink("Z", 1)})));
    EXPECT_THAT(dot, HasSubstr("F × 199"));
    EXPECT_EQ(count(dot, "[label=\"F"), 2u);
}

TEST(Dot, RepetitionsInARow) {
    std::vector<Stream> parts{source("A", 1)};
    for (int i = 0; i < 200; ++i) {
        parts.push_back(filter("Up", 1, 2));
        parts.push_back(filter("Down", 2, 1));
    }
    for (int i = 0; i < 50; ++i) parts.push_back(filter("Same", 1, 1));
    parts.push_back(sink("Z", 1));
    const std::string dot = toDot(build(pipeline("Main", parts)));
    EXPECT_THAT(dot, HasSubstr("label=\"× 200 in a row\";"));
    EXPECT_THAT(dot, HasSubstr("[label=\"Same × 50 in a row\\npop 1 push 1\"];"));
    // A, Up, Down, Same, Z in this order.
    EXPECT_EQ(count(dot, " -> "), 4u);
}

TEST(Dot, LongRowsAreCutShort) {
    std::vector<Stream> parts{source("A", 1)};
    for (int i = 0; i < 5'000; ++i) parts.push_back(filter("F" + std::to_string(i), 1, 1));
    parts.push_back(sink("Z", 1));
    const std::string dot = toDot(build(pipeline("Main", parts)));
    EXPECT_THAT(dot, HasSubstr("… 4971 more nodes"));
    EXPECT_EQ(count(dot, " -> "), 31u);
}

TEST(Dot, DeepGraphsAreClosedBelow) {
    Stream stream = filter("F", 1, 1);
    for (int i = 0; i < 500; ++i) {
        stream = pipeline("P" + std::to_string(i), {std::move(stream), filter("G", 1, 1)});
    }
    const Graph graph = build(pipeline("Main", {source("A", 1), stream, sink("Z", 1)}));
    const std::string dot = toDot(graph);
    EXPECT_THAT(dot, HasSubstr("shape=box3d"));
    EXPECT_LT(count(dot, "\n"), 500u);
}

/// Every line joins boxes that are there, whatever is folded.
TEST(Dot, RandomGraphsAreConnected) {
    std::mt19937 engine(8);
    for (int round = 0; round < 100; ++round) {
        const auto bytes = randomBytes(engine, 600);
        Choices choices(bytes);
        const Graph graph = build(randomProgram(choices, {.depth = 5, .children = 6}));
        for (std::size_t most : {1, 5, 20, 1000}) {
            const std::string dot = toDot(graph, {}, {true, most});
            for (std::size_t at = dot.find(" -> n"); at != std::string::npos;
                 at = dot.find(" -> n", at + 1)) {
                const std::string to = dot.substr(at + 4, dot.find(' ', at + 5) - at - 4);
                const std::size_t begin = dot.rfind(' ', at - 1) + 1;
                ASSERT_THAT(dot, HasSubstr(" " + to + " [label="));
                ASSERT_THAT(dot, HasSubstr(" " + dot.substr(begin, at - begin) + " [label="));
            }
        }
    }
}

// --------------------------------------------------------------------------------------- JSON

TEST(GraphJson, HoldsEverything) {
    const Scheduled all(sample());
    const auto json = nlohmann::json::parse(toJson(all.graph, all.notes()));
    EXPECT_EQ(json["format"], "strc-graph");
    EXPECT_EQ(json["version"], 1);
    ASSERT_EQ(json["nodes"].size(), all.graph.nodes.size());
    ASSERT_EQ(json["edges"].size(), all.graph.edges.size());
    ASSERT_EQ(json["composites"].size(), all.graph.composites.size());
    const auto& source = json["nodes"][0];
    EXPECT_EQ(source["path"], "Main.Source");
    EXPECT_EQ(source["work"]["push"], 2);
    EXPECT_EQ(source["prework"]["push"], 1);
    EXPECT_EQ(source["steady"], all.repetitions->steady[0]);
    EXPECT_EQ(source["inputs"].size(), 0u);
    const auto& splitter = json["nodes"][1];
    EXPECT_EQ(splitter["kind"], "roundrobin splitter");
    EXPECT_EQ(splitter["weights"], (std::vector<int>{1, 3}));
    const auto& back = json["edges"][edge(all.graph, "Delay", "join")];
    EXPECT_EQ(back["initial"].size(), 2u);
    EXPECT_EQ(back["to"]["port"], 1);
    EXPECT_EQ(back["buffer"], 2);
    EXPECT_EQ(json["composites"][0]["children"][1]["composite"], 1);
    EXPECT_EQ(json["composites"][1]["splitter"], 1);
    EXPECT_TRUE(json["input"].is_null());
}

TEST(GraphJson, WithoutAnnotations) {
    const auto json = nlohmann::json::parse(toJson(sample()));
    EXPECT_FALSE(json["nodes"][0].contains("steady"));
    EXPECT_FALSE(json["edges"][0].contains("buffer"));
}

TEST(GraphJson, BytesThatAreNoTextDoNoHarm) {
    Graph graph = build(pipeline("Main", {source("A", 1), sink("B", 1)}));
    graph.nodes[1].file = "\xff\xfe.dat";
    EXPECT_NO_THROW(EXPECT_FALSE(nlohmann::json::parse(toJson(graph)).empty()));
}

// ---------------------------------------------------------------------------------- hierarchy

TEST(Hierarchy, PathsAgree) {
    std::mt19937 engine(9);
    for (int round = 0; round < 50; ++round) {
        const auto bytes = randomBytes(engine, 300);
        Choices choices(bytes);
        Graph graph = build(randomProgram(choices));
        for (Node& node : graph.nodes) {
            if (node.name != "split" && node.name != "join") node.name = node.name.substr(0, 1);
        }
        const Paths paths = allPaths(graph);
        for (NodeId id = 0; id < graph.nodes.size(); ++id)
            ASSERT_EQ(paths.nodes[id], path(graph, id));
        for (CompositeId id = 0; id < graph.composites.size(); ++id) {
            ASSERT_EQ(paths.composites[id], compositePath(graph, id));
        }
    }
}

TEST(Hierarchy, InnermostCommonComposite) {
    const Graph graph = sample();
    const Hierarchy tree(graph);
    const CompositeId both = composite(graph, "Both");
    EXPECT_EQ(tree.common(node(graph, "Fir"), node(graph, "Gain")), both);
    EXPECT_EQ(tree.common(node(graph, "Fir"), node(graph, "Add")), composite(graph, "Main"));
    EXPECT_TRUE(tree.contains(both, node(graph, "Fir")));
    EXPECT_FALSE(tree.contains(both, node(graph, "Add")));
    const Child child = tree.childWith(composite(graph, "Main"), node(graph, "Fir"));
    EXPECT_TRUE(child.isComposite);
    EXPECT_EQ(child.id, both);
    EXPECT_EQ(tree.insideOut().back(), composite(graph, "Main"));
    EXPECT_THAT(tree.nodesOf(both), ::testing::ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace strc::graph
